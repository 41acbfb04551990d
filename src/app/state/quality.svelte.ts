import {
  formatJudgedSearches,
  parseJudgedSearches,
  unknownNotes,
  type JudgedSearch,
} from '../quality/judged.ts';
import {
  compareVersions,
  measureVersion,
  nothingMeasured,
  untaught,
  withMeasured,
  type MeasuredVersion,
} from '../quality/measure.ts';
import { hasTaught, noneTaught, taughtBy } from '../quality/taught.ts';
import { keep, kept } from './keep.ts';
import type { Notebook } from './notebook.svelte.ts';
import { noteOf } from './notes.ts';

/** Judged searches and what they measured, version by version. */
export class Quality {
  judged = $state.raw<readonly JudgedSearch[]>([]);
  /** Where they came from, for people. */
  origin = $state('');
  measured = $state.raw(nothingMeasured);
  measuring = $state(false);
  #taught = $state.raw(noneTaught);
  /** Judged searches that taught the index: out of every figure, since they would measure what they brought about. */
  readonly taught = $derived(this.judged.filter(({ query }) => hasTaught(this.#taught, query)));
  /** How many searches the figures are of. */
  readonly counted = $derived(this.judged.length - this.taught.length);
  readonly before = $derived.by(() => this.of(0));
  readonly after = $derived.by(() => this.of(this.#notebook.version));
  readonly compared = $derived(this.before && this.after ? compareVersions(this.before, this.after) : []);
  /** Notes that the judgements name and the index does not hold. */
  readonly unknown = $derived.by(() => unknownNotes(this.judged, this.#notebook.notes));
  readonly #notebook: Notebook;
  #wanted = false;
  /** Counts what made earlier measurements worthless. */
  #generation = 0;

  constructor(notebook: Notebook) {
    this.#notebook = notebook;
    const saved = kept(this.#place('judged'));
    if (saved === null) return;
    try {
      this.judged = parseJudgedSearches(saved);
      this.origin = kept(this.#place('judged-origin')) ?? 'a file';
    } catch {
      // What another version of the page kept must not keep this one from opening.
      this.forget();
    }
  }

  #place(what: string): string {
    return `self-index/${this.#notebook.index.name}/${what}`;
  }

  /** What a version measured; undefined while it is not known. */
  of(version: number): MeasuredVersion | undefined {
    const measured = this.measured.get(version);
    return measured && untaught(measured, (query) => hasTaught(this.#taught, query));
  }

  async load(judged: readonly JudgedSearch[], origin: string): Promise<void> {
    this.judged = judged;
    this.origin = origin;
    keep(this.#place('judged'), formatJudgedSearches(judged));
    keep(this.#place('judged-origin'), origin);
    await this.remeasure();
  }

  forget(): void {
    this.judged = [];
    this.origin = '';
    this.#discard();
    keep(this.#place('judged'), null);
    keep(this.#place('judged-origin'), null);
  }

  /** After documents or settings changed: nothing measured so far holds. */
  async remeasure(): Promise<void> {
    this.#discard();
    await this.measure();
  }

  /** Measures the versions that are not measured yet; a version never changes. */
  async measure(): Promise<void> {
    this.#wanted = true;
    if (this.measuring) return;
    this.measuring = true;
    try {
      while (this.#wanted) {
        this.#wanted = false;
        await this.#measureMissing();
      }
    } finally {
      this.measuring = false;
    }
  }

  #discard(): void {
    this.#generation++;
    this.measured = nothingMeasured;
  }

  async #measureMissing(): Promise<void> {
    const { index, byId, versions, empty } = this.#notebook;
    if (this.judged.length === 0 || empty) return;
    this.#taught = taughtBy(await index.teachings());
    const generation = this.#generation;
    const nameOf = (id: string) => {
      const document = byId.get(id);
      return document ? noteOf(document) : id;
    };
    for (const { version } of versions) {
      if (this.measured.has(version)) continue;
      const result = await measureVersion(index, this.judged, nameOf, version);
      if (generation !== this.#generation) return;
      this.measured = withMeasured(this.measured, result);
    }
  }
}
