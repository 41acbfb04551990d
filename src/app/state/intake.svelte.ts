import { isAbort } from '../../base/errors.ts';
import type { Gathered } from '../intake/gather.ts';
import { fetchSamples } from '../intake/samples.ts';
import type { Notebook } from './notebook.svelte.ts';

/** What came of the last intake, for people. */
export interface IntakeReport {
  readonly files: number;
  readonly documents: number;
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
   * @returns true when documents were added
   */
  take(gather: (signal: AbortSignal) => Promise<Gathered | null>): Promise<boolean> {
    return this.#while(async (signal) => {
      const gathered = await gather(signal);
      if (!gathered) return false;
      return this.#readAndAdd(gathered, signal);
    });
  }

  /** @returns the text of the samples' judged searches, or null when it was cancelled */
  async takeSamples(): Promise<string | null> {
    let judged = '';
    const taken = await this.#while(async (signal) => {
      const samples = await fetchSamples(this.#progress, signal);
      judged = samples.judged;
      return this.#readAndAdd({ files: samples.files, skipped: [] }, signal);
    });
    return taken ? judged : null;
  }

  async #readAndAdd(gathered: Gathered, signal: AbortSignal): Promise<boolean> {
    this.step = 'reading';
    // Parsers are loaded by the first who needs them.
    const { readFiles } = await import('../intake/read.ts');
    const read = await readFiles(gathered.files, this.#progress, signal);
    this.step = 'indexing';
    if (read.documents.length > 0) {
      await this.#notebook.index.add(read.documents, signal);
      await this.#notebook.refresh();
    }
    this.report = {
      files: read.files,
      documents: read.documents.length,
      skipped: [...gathered.skipped, ...read.skipped],
      warnings: read.warnings,
    };
    return read.documents.length > 0;
  }

  async #while(work: (signal: AbortSignal) => Promise<boolean>): Promise<boolean> {
    if (this.active) return false;
    const controller = (this.#controller = new AbortController());
    this.step = 'gathering';
    this.done = this.total = 0;
    this.report = null;
    try {
      return await work(controller.signal);
    } catch (error) {
      if (isAbort(error)) return false;
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
