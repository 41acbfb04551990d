import { abortable } from '../../base/abortable.ts';
import { isAbort, SelfIndexError } from '../../base/errors.ts';
import { spaceOf } from '../cached-embedder.ts';
import type { DeviceChoice, DeviceReport, EmbedOptions, Embedder, Fingerprint } from '../types.ts';
import { sameDevice } from './candidates.ts';
import { failedDevice, isFinal, type Chosen, type DeviceParts } from './choose-device.ts';

/** What is left when every device has failed: the next call may be of another kind. */
const lastResort: DeviceChoice = { device: 'wasm', threads: 1 };

/** An embedder on a device, and what to do when that is gone. */
interface Running {
  readonly embedder: Embedder;
  readonly choice: DeviceChoice;
}

/**
 * An embedder that outlives its device. A call that fails there, be it that the GPU was lost, that its worker died or that the runtime
 * failed, is done over on the next device from its first text, so that its vectors are all of one device; calls that waited
 * behind it go there too. `device` and its listeners tell. Where the last device fails, so does the call; the next call tries that
 * device once more, from the start.
 */
export class RecoveringEmbedder implements Embedder {
  readonly fingerprint: Fingerprint;
  readonly dimensions: number;
  readonly maxTokens: number;
  private readonly listeners = new Set<(report: DeviceReport) => void>();
  private readonly left: DeviceChoice[];
  private readonly ended = new AbortController();
  private report: DeviceReport;
  /** Undefined after the last device has failed. */
  private running: Promise<Running> | undefined;

  constructor(
    chosen: Chosen,
    private readonly parts: Pick<DeviceParts, 'open'>,
  ) {
    const { embedder, report, fallbacks } = chosen;
    ({ fingerprint: this.fingerprint, dimensions: this.dimensions, maxTokens: this.maxTokens } = embedder);
    this.report = report;
    this.left = [...fallbacks];
    const { device, threads } = report;
    this.running = Promise.resolve({ embedder, choice: { device, threads } });
  }

  get device(): DeviceReport {
    return this.report;
  }

  onDevice(listener: (report: DeviceReport) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  async embed(
    texts: readonly string[],
    role: 'query' | 'passage',
    { signal, onProgress }: EmbedOptions = {},
  ): Promise<Float32Array> {
    // Done over, a job does not count backwards.
    let most = 0;
    const forward = (done: number, total: number) => {
      if (done > most) onProgress?.((most = done), total);
    };
    for (;;) {
      signal?.throwIfAborted();
      this.ended.signal.throwIfAborted();
      const running = (this.running ??= this.settle(this.start(lastResort)));
      const { embedder, choice } = await abortable(running, signal);
      try {
        return await embedder.embed(texts, role, { signal, ...(onProgress && { onProgress: forward }) });
      } catch (error) {
        signal?.throwIfAborted();
        this.ended.signal.throwIfAborted();
        if (isAbort(error)) throw error;
        // Another call may have moved on already.
        if (this.running !== running) continue;
        this.refuse(choice, error);
        this.running = this.settle(this.moveOn(embedder, error));
      }
    }
  }

  async dispose(): Promise<void> {
    if (this.ended.signal.aborted) return;
    this.ended.abort(
      new SelfIndexError('model-not-found', 'This embedder has been disposed of. Load it again.'),
    );
    await this.running?.then(({ embedder }) => embedder.dispose()).catch(() => {}); // Nothing runs that could be ended.
  }

  /** The first of the devices left on which the model opens. */
  private async moveOn(failed: Embedder, error: unknown): Promise<Running> {
    await failed.dispose().catch(() => {}); // It is gone already.
    let cause = error;
    for (let choice = this.left.shift(); choice; choice = this.left.shift()) {
      try {
        return await this.start(choice);
      } catch (problem) {
        this.ended.signal.throwIfAborted();
        if (isFinal(problem)) throw problem;
        this.refuse(choice, problem);
        cause = problem;
      }
    }
    throw cause;
  }

  private async start(choice: DeviceChoice): Promise<Running> {
    const embedder = await this.reopen(choice);
    const { device, threads } = choice;
    this.tell({ ...this.report, device, threads, how: 'next' });
    return { embedder, choice };
  }

  private async reopen(choice: DeviceChoice): Promise<Embedder> {
    const embedder = await this.parts.open(choice, this.ended.signal);
    if (!this.ended.signal.aborted && spaceOf(embedder.fingerprint) === spaceOf(this.fingerprint))
      return embedder;
    await embedder.dispose();
    this.ended.signal.throwIfAborted();
    throw new SelfIndexError(
      'model-corrupt',
      `The files of model "${this.fingerprint.model}" are not those with which it was loaded. Load it anew.`,
    );
  }

  /** Whoever waits for a device that does not open hears why; who comes later begins anew. */
  private settle(running: Promise<Running>): Promise<Running> {
    running.catch(() => {
      if (this.running === running) this.running = undefined;
    });
    return running;
  }

  private refuse(choice: DeviceChoice, error: unknown): void {
    const line = failedDevice(choice, error);
    const others = this.report.refused.filter(
      (each) => !sameDevice(each, line) || each.reason !== line.reason,
    );
    this.tell({ ...this.report, refused: [...others, line] });
  }

  private tell(report: DeviceReport): void {
    this.report = report;
    for (const listener of [...this.listeners]) listener(report);
  }
}
