import { isAbort } from '../../base/errors.ts';
import type { Document } from '../../corpus/types.ts';
import { findCollection } from '../intake/find-collection.ts';
import type { Gathered } from '../intake/gather.ts';
import { fetchSamples } from '../intake/samples.ts';
import { parseJudgedSearches, type JudgedSearch } from '../quality/judged.ts';
import { plural } from '../words/format.ts';
import type { Notebook } from './notebook.svelte.ts';

/** What came of the last intake, for people. */
export interface IntakeReport {
  readonly files: number;
  readonly documents: number;
  readonly skipped: readonly string[];
  readonly warnings: readonly string[];
}

/** What an intake brought besides documents. */
export interface Taken {
  readonly judged: readonly JudgedSearch[];
  /** Where the judged searches come from, for people. */
  readonly origin: string;
  /** Searches to try. */
  readonly suggestions: readonly string[];
}

/** Documents read and not indexed yet. */
interface Read extends Taken {
  readonly files: number;
  readonly documents: readonly Document[];
  readonly skipped: readonly string[];
  readonly warnings: readonly string[];
}

/** Bringing notes in: gather, read, index; all of it or, when cancelled, nothing. */
export class Intake {
  step = $state<'idle' | 'gathering' | 'reading' | 'indexing'>('idle');
  done = $state(0);
  total = $state(0);
  report = $state.raw<IntakeReport | null>(null);
  readonly active = $derived(this.step !== 'idle');
  readonly #notebook: Notebook;
  #controller: AbortController | undefined;

  constructor(notebook: Notebook) {
    this.#notebook = notebook;
  }

  cancel(): void {
    this.#controller?.abort();
  }

  /**
   * @param gather null from it means that the person changed their mind
   * @returns null where no document was added
   */
  take(gather: (signal: AbortSignal) => Promise<Gathered | null>): Promise<Taken | null> {
    return this.#while(async (signal) => {
      const gathered = await gather(signal);
      return gathered && this.#add(await this.#read(gathered, signal), signal);
    });
  }

  /** The notes that come with the page, and their judged searches. */
  takeSamples(): Promise<Taken | null> {
    return this.#while(async (signal) => {
      const samples = await fetchSamples(this.#progress, signal);
      const judged = parseJudgedSearches(samples.judged);
      const read = await this.#read({ files: samples.files, skipped: [] }, signal);
      const { suggestions } = samples;
      return this.#add({ ...read, judged, suggestions, origin: 'the sample notes' }, signal);
    });
  }

  async #read({ files, skipped }: Gathered, signal: AbortSignal): Promise<Read> {
    this.step = 'reading';
    const collection = findCollection(files);
    // Parsers are loaded by the first who needs them.
    if (!collection) {
      const { readFiles } = await import('../intake/read.ts');
      const read = await readFiles(files, this.#progress, signal);
      return { ...read, skipped: [...skipped, ...read.skipped], judged: [], origin: '', suggestions: [] };
    }
    const { readGivenCollection } = await import('../intake/read-collection.ts');
    const read = await readGivenCollection(collection, signal);
    return {
      files: collection.qrels ? 3 : 1,
      documents: read.documents,
      skipped: [...skipped, ...read.skipped],
      warnings: this.#replaced(read.documents),
      judged: read.judged,
      suggestions: [],
      origin: collection.name ? `the collection “${collection.name}”` : 'the collection',
    };
  }

  /** Ids of collections are often mere numbers, so two collections may share them. */
  #replaced(documents: readonly Document[]): string[] {
    const { byId } = this.#notebook;
    const count = documents.filter(({ id }) => byId.has(id)).length;
    const note = `${plural(count, 'document')} had ids that were here already, and took the place of those.`;
    return count === 0 ? [] : [note];
  }

  async #add(read: Read, signal: AbortSignal): Promise<Taken | null> {
    const { files, documents, skipped, warnings, ...taken } = read;
    this.step = 'indexing';
    if (documents.length > 0) {
      await this.#notebook.index.add(documents, signal);
      await this.#notebook.refresh();
    }
    this.report = { files, documents: documents.length, skipped, warnings };
    return documents.length > 0 ? taken : null;
  }

  async #while(work: (signal: AbortSignal) => Promise<Taken | null>): Promise<Taken | null> {
    if (this.active) return null;
    const controller = (this.#controller = new AbortController());
    this.step = 'gathering';
    this.done = this.total = 0;
    this.report = null;
    try {
      return await work(controller.signal);
    } catch (error) {
      if (isAbort(error)) return null;
      throw error;
    } finally {
      this.step = 'idle';
    }
  }

  #progress = (done: number, total: number) => {
    this.done = done;
    this.total = total;
  };
}
