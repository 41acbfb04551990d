/** Where a text may be cut without breaking a character: never inside a surrogate pair, nor before a combining mark. */
export function safeCut(text: string, at: number): number {
  let cut = Math.min(Math.max(at, 0), text.length);
  while (cut > 0 && cut < text.length && /^[\udc00-\udfff\u200d]|^\p{M}/u.test(text.slice(cut, cut + 2)))
    cut--;
  return cut;
}

/** A range without the white space at its ends. */
export function trimmed(text: string, start: number, end: number): { start: number; end: number } {
  while (start < end && /\s/.test(text[start])) start++;
  while (end > start && /\s/.test(text[end - 1])) end--;
  return { start, end };
}
