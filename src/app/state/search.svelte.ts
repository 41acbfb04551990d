import { isAbort } from '../../base/errors.ts';
import type { SearchResult } from '../../evolve/types.ts';
import type { Notebook } from './notebook.svelte.ts';

const pauseMilliseconds = 60;
export const resultLimit = 20;

/** Search as one types: the newest text wins, an older answer never overwrites it. */
export class Search {
  text = $state('');
  results = $state.raw<readonly SearchResult[]>([]);
  /** The text that `results` answer. */
  answered = $state('');
  failure = $state.raw<unknown>(null);
  #timer: ReturnType<typeof setTimeout> | undefined;
  #running: AbortController | undefined;
  readonly #notebook: Notebook;

  constructor(notebook: Notebook) {
    this.#notebook = notebook;
  }

  /** @param now true skips the pause that saves searches while someone types */
  type(text: string, now = false): void {
    this.text = text;
    clearTimeout(this.#timer);
    if (now || text.trim() === '') void this.run();
    else this.#timer = setTimeout(() => void this.run(), pauseMilliseconds);
  }

  /** Searches again, for instance after a new version. */
  async run(): Promise<void> {
    clearTimeout(this.#timer);
    this.#running?.abort();
    const running = (this.#running = new AbortController());
    const text = this.text.trim();
    try {
      const { signal } = running;
      const results =
        text === '' ? [] : await this.#notebook.index.search(text, { limit: resultLimit, signal });
      if (signal.aborted) return;
      this.results = results;
      this.failure = null;
    } catch (error) {
      if (isAbort(error) || running.signal.aborted) return;
      this.results = [];
      this.failure = error;
    }
    this.answered = text;
  }
}
