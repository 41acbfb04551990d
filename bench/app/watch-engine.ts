/** Runs in the engine's worker: notes when it sends the answer to each call. Self-contained, because Playwright sends its text. */
declare global {
  /** Answers since the last look: the call's id, and milliseconds since 1970. */
  var answersSent: (readonly [id: string, at: number])[] | undefined;
}

export function installEngineWatch(): void {
  const sent: [string, number][] = [];
  globalThis.answersSent = sent;
  // eslint-disable-next-line @typescript-eslint/unbound-method
  const post = MessagePort.prototype.postMessage;
  MessagePort.prototype.postMessage = function (this: MessagePort, message: unknown, ...rest: unknown[]) {
    Reflect.apply(post, this, [message, ...rest]);
    const { id } = (message ?? {}) as { id?: string };
    if (id !== undefined) sent.push([id, performance.timeOrigin + performance.now()]);
  };
}

/** Milliseconds from each call of the page to its answer being sent. */
export function engineTimes(
  calls: readonly (readonly [id: string, at: number])[],
  sent: readonly (readonly [id: string, at: number])[],
): number[] {
  const called = new Map(calls);
  return sent.flatMap(([id, at]) => {
    const start = called.get(id);
    return start === undefined ? [] : [at - start];
  });
}
