/** Accents of alphabets, Hebrew points, Arabic vowel signs; not the vowels of Indic scripts and Thai, nor Kana's voicing. */
const accents =
  /(?!\p{scx=Hiragana})(?=\p{Mn})[\p{sc=Inherited}\p{sc=Latin}\p{sc=Greek}\p{sc=Cyrillic}\p{sc=Hebrew}\p{sc=Arabic}]/gu;

/** Characters that only shape their neighbours: soft hyphen, joiners, direction marks; Arabic's tatweel. */
const invisible = /[\p{Cf}\u0640]/gu;

/** Letters that Unicode does not decompose, as people type them on a keyboard that lacks them; ß is left of a capital ẞ. */
const plainLetters: Readonly<Record<string, string>> = {
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ł: 'l',
  ħ: 'h',
  ŧ: 't',
  ŋ: 'n',
  ı: 'i',
  ß: 'ss',
  ς: 'σ',
};
const special = new RegExp(`[${Object.keys(plainLetters).join('')}]`, 'g');

/**
 * The form in which words are compared: NFKC, full case folding, accents taken off. `Châtelier` and `chatelier`,
 * `Λέξεις` and `λεξεις`, `Straße` and `STRASSE` are one word. Folding a folded text changes nothing.
 */
export function fold(text: string): string {
  if (isAscii(text)) return text.toLowerCase();
  return text
    .normalize('NFKD')
    .replace(invisible, '')
    .toUpperCase()
    .toLowerCase()
    .normalize('NFKD')
    .replace(accents, '')
    .replace(special, (letter) => plainLetters[letter])
    .normalize('NFC');
}

export function isAscii(text: string): boolean {
  return !/[\u0080-\uffff]/.test(text);
}
