/**
 * Runs in the page before anything else of it: notes keys, searches, frames and long tasks from outside of the app. Self-contained,
 * because Playwright sends its text.
 */
export interface KeyTime {
  /** From the browser's time stamp of the key to the frame after its results were drawn; null where a later key was answered first. */
  readonly milliseconds: number | null;
  readonly at: number;
}

export interface Span {
  readonly start: number;
  readonly duration: number;
}

export interface Watched {
  readonly keys: readonly KeyTime[];
  /** Page's call to the engine until the page has the answer. */
  readonly searches: readonly Span[];
  /** When the page called, by the engine's id of the call; milliseconds since 1970. */
  readonly calls: readonly (readonly [id: string, at: number])[];
  readonly longTasks: readonly Span[];
  /** Event Timing: the longest delay until the next frame of a key's events. */
  readonly events: readonly Span[];
}

export interface Watch {
  /** What was noted since the last time. */
  take(): Watched;
}

declare global {
  var watch: Watch | undefined;
}

export function installWatch(): void {
  interface Pending {
    readonly text: string;
    readonly at: number;
  }
  const keys: KeyTime[] = [];
  const searches: Span[] = [];
  const calls: [string, number][] = [];
  const longTasks: Span[] = [];
  const events: Span[] = [];
  let pending: Pending[] = [];
  let pressedAt = 0;
  let lastText = '';

  const observe = (type: string, list: Span[], options: object = {}) =>
    new PerformanceObserver((entries) => {
      for (const { name, startTime: start, duration } of entries.getEntries())
        if (type !== 'event' || name.startsWith('key') || name === 'input') list.push({ start, duration });
    }).observe({ type, ...options });
  observe('longtask', longTasks);
  observe('event', events, { durationThreshold: 16 });

  addEventListener('keydown', (event) => (pressedAt = event.timeStamp), true);
  addEventListener(
    'input',
    (event) => {
      const { target } = event;
      if (!(target instanceof HTMLInputElement) || target.type !== 'search') return;
      const text = target.value.trim();
      // A blank at the end asks nothing new, so nothing is drawn.
      if (text !== lastText) pending.push({ text, at: pressedAt });
      lastText = text;
    },
    true,
  );

  /** Results of a text have come into the document: they are seen with the frame that is made next. */
  const answered = (text: string) => {
    const at = pending.findLastIndex((key) => key.text === text);
    if (at < 0) return;
    const done = pending.slice(0, at + 1);
    pending = pending.slice(at + 1);
    requestAnimationFrame(() => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => {
        port1.close();
        const now = performance.now();
        done.forEach((key, i) =>
          keys.push({ at: key.at, milliseconds: i === done.length - 1 ? now - key.at : null }),
        );
      };
      port2.postMessage(null);
    });
  };
  new MutationObserver((changes) => {
    for (const { target } of changes)
      if (target instanceof HTMLElement) answered(target.dataset.answered ?? '');
  }).observe(document, { subtree: true, attributes: true, attributeFilter: ['data-answered'] });

  const asked = new Map<string, number>();
  const listening = new WeakSet<MessagePort>();
  // eslint-disable-next-line @typescript-eslint/unbound-method
  const post = MessagePort.prototype.postMessage;
  MessagePort.prototype.postMessage = function (this: MessagePort, message: unknown, ...rest: unknown[]) {
    const call = message as { id?: string; path?: readonly string[] } | null;
    if (call?.id !== undefined && call.path?.[0] === 'search') {
      asked.set(call.id, performance.now());
      calls.push([call.id, performance.timeOrigin + performance.now()]);
      if (!listening.has(this)) {
        listening.add(this);
        this.addEventListener('message', ({ data }: MessageEvent<{ id?: string } | null>) => {
          const start = asked.get(data?.id ?? '');
          if (start === undefined) return;
          asked.delete(data?.id ?? '');
          searches.push({ start, duration: performance.now() - start });
        });
      }
    }
    Reflect.apply(post, this, [message, ...rest]);
  };

  globalThis.watch = {
    take() {
      const taken = {
        keys: [...keys],
        searches: [...searches],
        calls: [...calls],
        longTasks: [...longTasks],
        events: [...events],
      };
      for (const list of [keys, searches, calls, longTasks, events]) list.length = 0;
      return taken;
    },
  };
}
