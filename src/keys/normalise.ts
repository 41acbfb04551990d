/**
 * Marks that may open or close a key without changing what it says. Not `#`, `+`, `%`, `/`, `@` and the like:
 * "parsing in C#" and "parsing in C" are two keys.
 */
const edge =
  /^[\s\p{Pi}\p{Pf}\p{Ps}\p{Pe}\p{Pd}.,;:!?¡¿…·•。、・'"`*_~|>]+|[\s\p{Pi}\p{Pf}\p{Ps}\p{Pe}\p{Pd}.,;:!?¡¿…·•。、・'"`*_~|>]+$/gu;

/**
 * The form in which two keys are compared for being the same: NFKC, full case folding (through upper case, so that
 * ß = ss and final sigma = sigma), white space collapsed, punctuation off both ends. May be empty.
 */
export function normaliseKeyText(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .toUpperCase()
    .toLowerCase()
    .normalize('NFKC')
    .replace(/\s+/gu, ' ')
    .replace(edge, '');
}
