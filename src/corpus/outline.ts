import type { JsonValue } from '../base/json.ts';
import type { Range } from './types.ts';

/** A stretch of a text that is best kept together. `lines` (tables) are parted between lines only, `code` hardly ever. */
export interface Block extends Range {
  readonly kind: 'prose' | 'lines' | 'code';
}

/** What stands under one heading, up to the next heading of any depth. */
export interface Section {
  /** From the outermost heading to the section's own; empty before the first heading. */
  readonly headings: readonly string[];
  /** The heading's own address in the whole (an HTML id), where it has one. */
  readonly anchor?: string;
  /** Where the heading itself stands. */
  readonly heading?: Range;
  readonly blocks: readonly Block[];
}

/** A note or page as its reader understands it: a text, and the sections that partition it. */
export interface Outline {
  readonly title?: string;
  readonly text: string;
  readonly sections: readonly Section[];
  readonly metadata?: Readonly<Record<string, JsonValue>>;
}

/** Collects blocks under headings, in the order of the text. */
export class OutlineBuilder {
  readonly sections: Section[] = [];
  #open: { headings: string[]; anchor?: string; heading?: Range; blocks: Block[] } = {
    headings: [],
    blocks: [],
  };
  readonly #path: { depth: number; text: string }[] = [];

  heading(depth: number, text: string, range: Range, anchor?: string): void {
    this.#close();
    while ((this.#path.at(-1)?.depth ?? 0) >= depth) this.#path.pop();
    this.#path.push({ depth, text });
    this.#open = { headings: this.#path.map((entry) => entry.text), heading: range, anchor, blocks: [] };
  }

  block(block: Block): void {
    this.#open.blocks.push(block);
  }

  finish(): readonly Section[] {
    this.#close();
    return this.sections;
  }

  #close(): void {
    if (this.#open.heading || this.#open.blocks.length > 0) this.sections.push(this.#open);
  }
}
