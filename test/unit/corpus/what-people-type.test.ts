import { describe, expect, it } from 'vitest';
import { createAnalyser } from '../../../src/corpus/analyser.ts';
import { makeSnippet } from '../../../src/corpus/snippet.ts';

/**
 * Searches reported as broken in other tools (omnisearch, Simplenote, MiniSearch, Pagefind …). Documents are ranked by the plain
 * BM25 formula over the analyser's tokens: k1 .9, b .4.
 */
const analyser = createAnalyser();

function search(query: string, documents: readonly string[]): string[] {
  const bags = documents.map((text) => {
    const bag = new Map<string, number>();
    for (const { term, weight } of analyser.analyse(text)) bag.set(term, (bag.get(term) ?? 0) + weight);
    return bag;
  });
  const lengths = bags.map((bag) => [...bag.values()].reduce((sum, tf) => sum + tf, 0));
  const average = lengths.reduce((sum, length) => sum + length, 0) / lengths.length;
  const scores = bags.map((bag, i) => {
    let score = 0;
    for (const { term, weight } of analyser.analyse(query)) {
      const tf = bag.get(term) ?? 0;
      const df = bags.filter((other) => other.has(term)).length;
      const idf = Math.log(1 + (bags.length - df + 0.5) / (df + 0.5));
      score += (weight * idf * tf * 1.9) / (tf + 0.9 * (0.6 + (0.4 * lengths[i]) / average));
    }
    return score;
  });
  return documents
    .map((text, i) => ({ text, score: scores[i] }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .map(({ text }) => text);
}

const marks = (text: string, query: string) => {
  const snippet = makeSnippet(text, query, analyser);
  return snippet.marks.map(({ start, end }) => snippet.text.slice(start, end));
};

const others = [
  'Bread needs flour, water, salt and time.',
  'The owl hunts voles at night.',
  '天氣很好，我們去公園散步。',
  'Version 15.3 came out in May; example.org has it.',
];

describe.each([
  ['chatelier', 'The principle of Le Châtelier governs equilibria.', ['Châtelier']],
  ['Châtelier', 'the chatelier principle', ['chatelier']],
  ['λεξεις', 'Λέξεις και φράσεις', ['Λέξεις']],
  ['my_snake_case_word', 'It is set by my_snake_case_word in the file.', ['my_snake_case_word']],
  ['snake', 'It is set by my_snake_case_word in the file.', ['snake']],
  ['14.2.1.0', 'Upgrade to 14.2.1.0 first.', ['14.2.1.0']],
  ['azure.com', 'Log in at portal.azure.com or azure.com.', ['azure', 'com', 'azure.com']],
  ['搜索', '这个应用支持全文搜索功能。', ['搜索']],
  ['认证', '用户认证失败', ['认证']],
  ['繁體', '這篇筆記用繁體中文寫成', ['繁體']],
  ['カタカナ', 'ひらがなとカタカナの練習', ['カタカナ']],
  ['strasse', 'Die Straße ist lang.', ['Straße']],
  ['résumé', 'Send your resume today', ['resume']],
  ['holder', 'SELECT accountHolderName FROM t', ['Holder']],
  ['account service', 'CREATE TABLE FINANCIALSERVICEACCOUNT', ['SERVICEACCOUNT']],
])('%s', (query, text, expected) => {
  it('is found', () => {
    expect(search(query, [...others, text])[0]).toBe(text);
  });
  it('is marked in the text as it was written', () => {
    expect(marks(text, query)).toEqual(expected);
  });
});

it('ranks the whole identifier before its parts, and either before nothing', () => {
  const whole = 'The value of my_snake_case_word is read once.';
  const parts = 'My word, said the snake in this case; a snake keeps its word.';
  expect(search('my_snake_case_word', [...others, parts, whole])).toEqual([whole, parts]);
  const name = 'accountHolderName is text.';
  const prose = 'The name of the account holder; each account has one holder, and a holder a name.';
  expect(search('accountHolderName', [...others, prose, name])[0]).toBe(name);
});

it('finds a whole name in any notation', () => {
  const text = 'SELECT ACCOUNT_HOLDER FROM t';
  for (const query of ['accountHolder', 'account_holder', 'AccountHolder']) {
    expect(search(query, [...others, text])[0]).toBe(text);
    expect(marks(text, query)).toEqual(['ACCOUNT_HOLDER']);
  }
});

it('finds a single Han character inside a line', () => {
  expect(search('猫', [...others, '家里有一只猫和一只狗'])).toEqual(['家里有一只猫和一只狗']);
});
