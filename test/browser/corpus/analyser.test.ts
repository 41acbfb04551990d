import { expect, it } from 'vitest';
import { createAnalyser } from '../../../src/corpus/analyser.ts';
import { frequentWords } from '../../../src/corpus/frequent-words.ts';
import { readFile } from '../../../src/corpus/read/read-file.ts';
import { makeSnippet } from '../../../src/corpus/snippet.ts';
import { eachAsciiWord, eachUnicodeWord } from '../../../src/corpus/word-spans.ts';

const analyser = createAnalyser();

it('analyses in a browser as in Node', () => {
  const text =
    'Le Châtelier: accountHolderName, 14.2.1.0, 全文搜索, FINANCIALSERVICEACCOUNT, O’Neill, é.azure.com';
  // The right values are those of test/unit/corpus/analyser.test.ts.
  expect(analyser.analyse(text).map(({ term, weight }) => `${term}:${weight}`)).toEqual(
    (
      'le:1 chateli:1 accountholdernam:1 account:0.5 holder:0.5 name:0.5 14.2.1.0:1 14:0.5 2:0.5 1:0.5 0:0.5 ' +
      '全:0.2 全文:1 文:0.2 文搜:1 搜:0.2 搜索:1 索:0.2 ' +
      'financialserviceaccount:1 financi:0.75 servic:0.75 account:0.75 oneil:1 o:0.5 neill:0.5 ' +
      'e.azure.com:1 e:0.5 azur:0.5 com:0.5'
    ).split(' '),
  );
});

it('has the words packed, not the package that they come from', () => {
  expect(frequentWords.length).toBeLessThan(100_000);
  const fetched = performance.getEntriesByType('resource').map(({ name }) => name);
  expect(fetched.filter((name) => name.includes('subtlex'))).toEqual([]);
});

it('cuts ASCII as this browser’s Intl.Segmenter does', () => {
  const alphabet = "abXYZ019__..'',;:- \n\"/@";
  // Joiners decide by their two neighbours.
  for (const a of alphabet) {
    for (const b of alphabet) {
      for (const c of alphabet) {
        const text = `${a}${b}${c}a ${a}${b}${c}1`;
        const fast: string[] = [];
        const slow: string[] = [];
        eachAsciiWord(text, (start, end) => fast.push(text.slice(start, end)));
        eachUnicodeWord(text, (start, end) => slow.push(text.slice(start, end)));
        const bare = fast.map((word) => word.replace(/^_+|_+$/g, '')).filter((word) => word !== '');
        expect(slow, text).toEqual(bare);
      }
    }
  }
});

it('reads gzip, Markdown and other encodings with the browser’s own streams and decoders', async () => {
  const note = '# Owls\n\nNight birds.\n\n## Food\n\nVoles.';
  const packed = new Blob([note]).stream().pipeThrough(new CompressionStream('gzip'));
  const bytes = new Uint8Array(await new Response(packed).arrayBuffer());
  const { documents } = await readFile('owls.md.gz', bytes);
  expect(documents.map(({ id, text }) => [id, text])).toEqual([
    ['owls.md.gz', 'Night birds.'],
    ['owls.md.gz#food', 'Voles.'],
  ]);
  await expect(readFile('broken.md.gz', bytes.subarray(0, 15))).rejects.toMatchObject({
    code: 'unreadable-file',
  });
  const latin = await readFile('old.txt', Uint8Array.from([0x63, 0x61, 0x66, 0xe9]));
  expect(latin).toMatchObject({ documents: [{ text: 'café' }], warnings: [{ code: 'encoding' }] });
});

it('marks what was found', () => {
  const snippet = makeSnippet('这个应用支持全文搜索功能。', '搜索', analyser);
  expect(snippet.marks.map(({ start, end }) => snippet.text.slice(start, end))).toEqual(['搜索']);
});
