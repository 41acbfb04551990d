import type { SearchResult } from '../../evolve/types.ts';
import type { Notebook } from './notebook.svelte.ts';

export const resultLimit = 20;

/**
 * Search as one types: each key asks at once, and while the engine is busy with one text only the newest waits. So a fast
 * engine answers every key, and a slow one is never asked more than it can answer.
 */
export class Search {
  text = $state('');
  results = $state.raw<readonly SearchResult[]>([]);
  /** The text that `results` answer. */
  answered = $state('');
  failure = $state.raw<unknown>(null);
  #running: Promise<void> | undefined;
  #waiting = false;
  readonly #notebook: Notebook;

  constructor(notebook: Notebook) {
    this.#notebook = notebook;
  }

  type(text: string): void {
    this.text = text;
    void this.run();
  }

  /** Searches again, for instance after a new version; resolves when the text as it then is has its results. */
  run(): Promise<void> {
    this.#waiting = true;
    this.#running ??= this.#answerAll().finally(() => (this.#running = undefined));
    return this.#running;
  }

  async #answerAll(): Promise<void> {
    while (this.#waiting) {
      this.#waiting = false;
      await this.#answer(this.text.trim());
    }
  }

  async #answer(text: string): Promise<void> {
    try {
      this.results = text === '' ? [] : await this.#notebook.index.search(text, { limit: resultLimit });
      this.failure = null;
    } catch (error) {
      this.results = [];
      this.failure = error;
    }
    this.answered = text;
  }
}
