/** What these roles are, for people. Apart from them so that a page can say it without loading them. */
export const extractiveDescription =
  'Rules only: keys are taken from the texts themselves (names and acronyms spelled out, headings, telling ' +
  'sentences, passages) and judged by the words they share with the document. No language model is used, and no ' +
  'synonym can be found that the collection does not hold.';
