import { keep, kept } from './keep.ts';

/**
 * Searches to try, of the sample notes. None of them is judged: opening a low result teaches, and a search that taught is no
 * measure any more.
 */
export class Suggestions {
  texts = $state.raw<readonly string[]>([]);
  readonly #place: string;

  constructor(name: string) {
    this.#place = `self-index/${name}/suggestions`;
    this.texts = parsed(kept(this.#place));
  }

  set(texts: readonly string[]): void {
    this.texts = texts;
    keep(this.#place, texts.length > 0 ? texts.join('\n') : null);
  }
}

function parsed(text: string | null): string[] {
  return text ? text.split('\n').slice(0, 6) : [];
}
