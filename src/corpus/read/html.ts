import { Parser } from 'htmlparser2';
import { SelfIndexError } from '../../base/errors.ts';
import { OutlineBuilder, type Block, type Outline } from '../outline.ts';

/** Elements whose content is no text of the page. */
const dropped = new Set('script style title noscript template svg math iframe object'.split(' '));
/** What surrounds the content of a page; never part of it, even inside `main`: the first two. */
const navigation = new Set('nav dialog'.split(' '));
const furniture = new Set('nav dialog header footer aside'.split(' '));
const inline = new Set(
  (
    'a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark q rp rt ruby s samp small span ' +
    'strike strong sub sup time tt u var wbr img'
  ).split(' '),
);
const headingTag = /^h[1-6]$/;
/** A table is cut into blocks of about this many UTF-16 units. */
const longestTable = 4_000;

/** Deeper is no page but an attack on the parser, whose time grows with the square of the depth. */
const deepest = 10_000;

/** `main`: inside main or article alone; `body`: all but furniture, whose headings stay; `all`: everything. */
type Part = 'main' | 'body' | 'all';

/**
 * HTML, however broken, to sections: scripts and styles dropped, the content of `main` or `article` where there is one, else
 * the body without what surrounds content; `pre` as code. The text is the page's visible text, not its source.
 * @param name of the file, for the error
 * @throws SelfIndexError `unreadable-file` for elements nested more than 10,000 deep
 */
export function readHtml(source: string, name = 'The page'): Outline {
  let outline = parse(source, 'main', name);
  // A script may fill an empty main; an unclosed nav may hold the whole page.
  for (const part of ['body', 'all'] as const) {
    if (outline.text !== '') break;
    outline = parse(source, part, name);
  }
  return outline;
}

function parse(source: string, part: Part, name: string): Outline {
  const reader = new PageReader(part, name);
  const parser = new Parser({
    onopentag: (name, attributes) => reader.open(name, attributes),
    onclosetag: (name) => reader.close(name),
    ontext: (data) => reader.write(data),
  });
  parser.write(source);
  parser.end();
  return reader.finish();
}

class PageReader {
  readonly #part: Part;
  readonly #name: string;
  readonly #builder = new OutlineBuilder();
  /** Finished stretches of the text. */
  readonly #parts: string[] = [];
  #length = 0;
  #pending = '';
  #title = '';
  #firstHeading: string | undefined;
  #heading: { depth: number; id?: string } | null = null;
  /** How many elements of a kind are open. */
  readonly #open = { all: 0, dropped: 0, navigation: 0, furniture: 0, pre: 0, title: 0 };
  /** Depth of the outermost main or article; 0 outside. */
  #main = 0;

  constructor(part: Part, name: string) {
    this.#part = part;
    this.#name = name;
  }

  open(name: string, attributes: Readonly<Record<string, string>>): void {
    this.#count(name, 1);
    if (this.#open.all > deepest) {
      throw new SelfIndexError(
        'unreadable-file',
        `“${this.#name}” nests more than ${deepest} elements in one another. Close them, or give its text alone.`,
        { details: { name: this.#name } },
      );
    }
    if (name === 'br') this.#push('\n');
    else if (name === 'img') this.write(` ${attributes.alt ?? ''} `);
    else if (name === 'td' || name === 'th') this.#push(/\S *$/.test(this.#pending.slice(-2)) ? ' | ' : '');
    else if (name === 'tr') {
      if (this.#pending.length > longestTable) this.#flush();
      this.#push('\n');
    } else if (!inline.has(name)) this.#flush();
    const isMain = name === 'main' || name === 'article' || attributes.role === 'main';
    if (isMain && this.#main === 0) this.#main = this.#open.all;
    if (headingTag.test(name)) this.#heading = { depth: Number(name[1]), id: attributes.id };
  }

  close(name: string): void {
    const isCell = name === 'td' || name === 'th' || name === 'tr' || name === 'br';
    if (!inline.has(name) && !isCell) this.#flush();
    if (this.#open.all === this.#main) this.#main = 0;
    this.#count(name, -1);
    if (headingTag.test(name)) this.#heading = null;
  }

  write(data: string): void {
    if (this.#open.title > 0 && this.#firstTitle()) this.#title += data;
    this.#push(this.#open.pre > 0 ? data : data.replace(/\s+/g, ' '));
  }

  finish(): Outline {
    this.#flush();
    const title = this.#firstHeading ?? this.#title.replace(/\s+/g, ' ').trim();
    return { text: this.#parts.join(''), sections: this.#builder.finish(), ...(title !== '' && { title }) };
  }

  #firstTitle(): boolean {
    return this.#length === 0 && this.#open.dropped === this.#open.title;
  }

  #count(name: string, by: 1 | -1): void {
    this.#open.all += by;
    if (dropped.has(name)) this.#open.dropped += by;
    if (navigation.has(name)) this.#open.navigation += by;
    if (furniture.has(name)) this.#open.furniture += by;
    if (name === 'pre' || name === 'title') this.#open[name] += by;
  }

  #push(text: string): void {
    const { navigation: inNavigation, furniture: inFurniture } = this.#open;
    const outside = {
      main: this.#main === 0 || inNavigation > 0,
      body: inNavigation > 0 || (inFurniture > 0 && this.#heading === null),
      all: false,
    };
    if (this.#open.dropped === 0 && !outside[this.#part]) this.#pending += text;
  }

  /** What was gathered becomes a block or a heading. */
  #flush(): void {
    if (this.#pending === '') return;
    const code = this.#open.pre > 0;
    const text = code
      ? this.#pending.replace(/^\s*\n/, '').trimEnd()
      : this.#pending
          .replace(/[^\S\n]*\n\s*/g, '\n')
          .replace(/ {2,}/g, ' ')
          .trim();
    this.#pending = '';
    if (text === '') return;
    const range = { start: this.#length, end: this.#length + text.length };
    this.#parts.push(text, '\n\n');
    this.#length = range.end + 2;
    if (this.#heading) {
      const { depth, id } = this.#heading;
      if (depth === 1) this.#firstHeading ??= text;
      this.#builder.heading(depth, text, range, id || undefined);
    } else {
      const prose: Block['kind'] = text.includes(' | ') && text.includes('\n') ? 'lines' : 'prose';
      this.#builder.block({ ...range, kind: code ? 'code' : prose });
    }
  }
}
