/** Ten texts of different kinds and lengths whose vectors must be the same wherever a model runs. Changing one makes remembered vectors void. */
export const probeTexts: readonly string[] = [
  'A search index that improves itself.',
  'How do I rotate an API key?',
  'the spleen filters blood',
  'const sum = (a, b) => a + b;',
  'SELECT name FROM accounts WHERE id = 7',
  'Straße, naïve café',
  '脾臟會過濾血液',
  '0 1 2 3 4 5 6 7 8 9',
  'x',
  'An older, longer sentence about nothing in particular, written so that one of the ten takes a few more tokens than the rest.',
];

/** What a race is run with: about as long as a passage of notes. */
export const raceTexts: readonly string[] = Array.from(
  { length: 6 },
  (_, i) =>
    `Note ${i}: the meeting moved to Thursday at ten. Bring the figures of the last quarter, the list of open questions about ` +
    'storage and search, and a plan for what the small team should do before the release in spring.',
);
