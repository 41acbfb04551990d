import { SelfIndexError } from '../base/errors.ts';
import type { Aggregate } from '../retrieve/types.ts';
import type { IndexStore } from '../store/types.ts';
import { IndexState, type Machinery } from './state.ts';

/** The versions of an index that are in memory: the present one, and at most one of the past. */
export class HeldState {
  private past: IndexState | undefined;
  /** How many uses of a state are under way. */
  private readonly uses = new Map<IndexState, number>();
  /** States that are no longer held and end with their last use. */
  private readonly leaving = new Map<IndexState, () => void>();

  private constructor(
    private readonly store: IndexStore,
    private machinery: Machinery,
    private readonly aggregate: () => Aggregate,
    private held: IndexState,
  ) {}

  static async open(
    store: IndexStore,
    machinery: Machinery,
    aggregate: () => Aggregate,
    signal?: AbortSignal,
  ): Promise<HeldState> {
    const state = await IndexState.load(store, machinery, aggregate(), { signal });
    return new HeldState(store, machinery, aggregate, state);
  }

  get present(): IndexState {
    return this.held;
  }

  /** The state of a version, if it is in memory; default: the present one. */
  inMemory(version?: number): IndexState | undefined {
    return [this.held, this.past].find((state) => state?.version === (version ?? this.held.version));
  }

  /** @throws SelfIndexError `version-not-found` */
  async at(version?: number, signal?: AbortSignal): Promise<IndexState> {
    const known = this.inMemory(version);
    if (known) return known;
    await this.check(version as number);
    await this.forgetPast();
    this.past = await IndexState.load(this.store, this.machinery, this.aggregate(), { version, signal });
    return this.past;
  }

  /** @throws SelfIndexError `version-not-found` */
  async check(version: number): Promise<number> {
    const versions = await this.store.versions();
    if (!versions.some((known) => known.version === version)) {
      throw new SelfIndexError(
        'version-not-found',
        `There is no version ${version}: the index has versions 0 to ${this.held.version}.`,
        { details: { version } },
      );
    }
    return version;
  }

  /**
   * Works with the state of a version (default: the present one), which lives until the work is done, whatever takes its place meanwhile.
   * @throws SelfIndexError `version-not-found`, and what the work throws
   */
  async use<T>(
    version: number | undefined,
    signal: AbortSignal | undefined,
    work: (state: IndexState) => Promise<T>,
  ): Promise<T> {
    let state = this.inMemory(version);
    // Between its loading and here it may have had to go again.
    while (!state || (state !== this.held && state !== this.past)) state = await this.at(version, signal);
    this.uses.set(state, (this.uses.get(state) ?? 0) + 1);
    try {
      return await work(state);
    } finally {
      const left = (this.uses.get(state) ?? 1) - 1;
      if (left > 0) this.uses.set(state, left);
      else {
        this.uses.delete(state);
        this.leaving.get(state)?.();
      }
    }
  }

  /**
   * Reads the store anew, with other machinery from now on where it is given; searches meanwhile see what was there before.
   * @returns when nothing of what was there before is in use any more
   */
  async reload(signal?: AbortSignal, machinery = this.machinery): Promise<{ readonly gone: Promise<void> }> {
    const old = this.held;
    const memory = old.expansionMemory;
    const next = await IndexState.load(this.store, machinery, this.aggregate(), { memory, signal });
    this.held = next;
    this.machinery = machinery;
    const past = this.past;
    this.past = undefined;
    const gone = Promise.all([this.leave(old), past && this.leave(past)]).then(() => undefined);
    return { gone };
  }

  async forgetPast(): Promise<void> {
    const past = this.past;
    this.past = undefined;
    if (past) await this.leave(past);
  }

  async dispose(): Promise<void> {
    await this.past?.dispose();
    await this.held.dispose();
  }

  private async leave(state: IndexState): Promise<void> {
    if (this.uses.has(state)) {
      await new Promise<void>((resolve) => this.leaving.set(state, resolve));
      this.leaving.delete(state);
    }
    await state.dispose();
  }
}
