import type { CollectionView } from '../../retrieve/types.ts';

/** How far a text is carried by a document. */
export interface Support {
  /** Share of the idf mass of the text's terms that the document holds, 0–1; 0 where the text has no terms. */
  readonly share: number;
  /** Words of the text that the document lacks, at most eight. */
  readonly lacking: readonly string[];
  /** Numbers of the text that the document lacks: an invented figure is an invented claim. */
  readonly numbers: readonly string[];
  /** The text denies something and the document denies nothing. */
  readonly negated: boolean;
}

/** What the document supports: its terms and those of the long forms of its acronyms. */
export interface Supported {
  readonly terms: ReadonlySet<string>;
  /** The document denies something somewhere, be it inside a name such as `isNotEmpty`. */
  readonly denies: boolean;
}

const acronyms = /(?<![\p{L}\p{N}])\p{Lu}[\p{Lu}\p{N}&]{1,7}(?![\p{Ll}\p{N}])/gu;
const negation = /(?<!\p{L})(?:not|no|never|cannot|without|none|neither|nor)(?!\p{L})|n['’]t(?!\p{L})/iu;

/** Words that ask and claim nothing: a question must not lose for being one. */
const askingWords = new Set(
  (
    'what which who whom whose where when why how do does did can could should would will may might must is are was ' +
    'were be been have has had i me my we us our you your he she they them their there any some get find tell show'
  ).split(' '),
);

export function supportedBy(documentText: string, view: CollectionView): Supported {
  const terms = new Set(view.terms(documentText).keys());
  for (const acronym of new Set(documentText.match(acronyms) ?? [])) {
    for (const longForm of view.expansionsOf(acronym)) {
      for (const term of view.terms(longForm).keys()) terms.add(term);
    }
  }
  const spaced = documentText.replace(/(?<=\p{Ll})(?=\p{Lu})|_/gu, ' ');
  return { terms, denies: negation.test(documentText) || negation.test(spaced) };
}

/** Word by word, so that a name counts once: by its whole, or by its parts where the document spells it otherwise. */
export function supportOf(text: string, document: Supported, view: CollectionView): Support {
  let supported = 0;
  let total = 0;
  const lacking = new Set<string>();
  const numbers: string[] = [];
  for (const word of text.split(/\s+/)) {
    if (askingWords.has(word.toLowerCase().replace(/[^\p{L}]+/gu, ''))) continue;
    const { weight, share } = supportOfWord(word, document, view);
    total += weight;
    supported += weight * share;
    if (weight === 0 || share === 1) continue;
    const bare = word.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '');
    if (share < 0.5 && lacking.size < 8) lacking.add(bare);
    if (/^[\p{N}.,]*\p{N}%?$/u.test(bare)) numbers.push(bare);
  }
  return {
    share: total === 0 ? 0 : supported / total,
    lacking: [...lacking],
    numbers,
    negated: negation.test(text) && !document.denies,
  };
}

function supportOfWord(word: string, document: Supported, view: CollectionView) {
  const terms = [...view.terms(word)];
  if (terms.length === 0) return { weight: 0, share: 0 };
  const weight = Math.max(...terms.map(([term]) => view.idf(term)));
  const parts = terms.filter(([, share]) => share < 1);
  const wholes = terms.filter(([, share]) => share >= 1);
  if (parts.length > 0 && wholes.length > 0 && wholes.every(([term]) => document.terms.has(term)))
    return { weight, share: 1 };
  const asked = parts.length > 0 ? parts : wholes;
  const held = asked.filter(([term]) => document.terms.has(term));
  const sum = (of: typeof asked) => of.reduce((total, [term]) => total + view.idf(term), 0);
  return { weight, share: sum(asked) === 0 ? held.length / asked.length : sum(held) / sum(asked) };
}
