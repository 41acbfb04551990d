import { SelfIndexError } from '../base/errors.ts';
import type { Aggregate } from '../retrieve/types.ts';
import type { IndexStore } from '../store/types.ts';
import { IndexState, type Machinery } from './state.ts';

/** The versions of an index that are in memory: the present one, and at most one of the past. */
export class HeldState {
  private past: IndexState | undefined;

  private constructor(
    private readonly store: IndexStore,
    private readonly machinery: Machinery,
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

  /** Reads the store anew; searches meanwhile see what was there before. */
  async reload(signal?: AbortSignal): Promise<void> {
    const old = this.held;
    const memory = old.expansionMemory;
    const next = await IndexState.load(this.store, this.machinery, this.aggregate(), { memory, signal });
    this.held = next;
    await this.forgetPast();
    await old.dispose();
  }

  async forgetPast(): Promise<void> {
    const past = this.past;
    this.past = undefined;
    await past?.dispose();
  }

  async dispose(): Promise<void> {
    await this.forgetPast();
    await this.held.dispose();
  }
}
