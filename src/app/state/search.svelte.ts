import type { SearchResult } from '../../evolve/types.ts';
import type { Notebook } from './notebook.svelte.ts';

/** What a screen shows without scrolling, and a key that is typed has to wait for. */
const firstLook = 10;
/** Results once more are asked for. */
const longLook = 50;

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
  /** There may be results beyond these. */
  more = $state(false);
  #limit = firstLook;
  #running: Promise<void> | undefined;
  #waiting = false;
  readonly #notebook: Notebook;

  constructor(notebook: Notebook) {
    this.#notebook = notebook;
  }

  type(text: string): void {
    this.text = text;
    this.#limit = firstLook;
    void this.run();
  }

  /** Shows more results of the same text. */
  showMore(): Promise<void> {
    this.#limit = longLook;
    return this.run();
  }

  /** Searches again, for instance after a new version; resolves when the text as it then is has its results. */
  run(): Promise<void> {
    this.#waiting = true;
    this.#running ??= this.#answerAll().finally(() => (this.#running = undefined));
    return this.#running;
  }

  /** Resolves when what was typed until now is answered. */
  async settled(): Promise<void> {
    await this.#running;
  }

  async #answerAll(): Promise<void> {
    while (this.#waiting) {
      this.#waiting = false;
      await this.#answer(this.text.trim());
    }
  }

  async #answer(text: string): Promise<void> {
    const limit = this.#limit;
    try {
      this.results = text === '' ? [] : await this.#notebook.index.search(text, { limit });
      this.more = limit === firstLook && this.results.length === limit;
      this.failure = null;
    } catch (error) {
      this.results = [];
      this.more = false;
      this.failure = error;
    }
    this.answered = text;
  }
}
