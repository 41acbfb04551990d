import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readVocabulary } from '../../../src/backbone/masks/vocabulary.ts';
import type { JsonValue } from '../../../src/base/json.ts';

const fixture = (model: string) =>
  JSON.parse(
    readFileSync(new URL(`../../fixtures/models/${model}/tokenizer.json`, import.meta.url), 'utf8'),
  ) as JsonValue;

describe('the vocabulary of a tokeniser', () => {
  it('is read with special tokens emptied', () => {
    const { tokens, kind } = readVocabulary(fixture('tiny-generator')) ?? { tokens: [], kind: '' };
    expect(kind).toBe('byte_level');
    expect(tokens).toHaveLength(259);
    expect(tokens.slice(0, 3)).toEqual(['', '', '']);
    expect(tokens.at(-1)).toBe('ÿ');
  });

  it('knows bytes that stand in for what has no token', () => {
    const model = { type: 'BPE', byte_fallback: true, vocab: { '<unk>': 0, '<0x0A>': 1, '▁a': 2 } };
    const added = [
      { id: 4, content: '<extra>', special: false },
      { id: 0, content: '<unk>', special: true },
    ];
    expect(readVocabulary({ model, added_tokens: added })).toEqual({
      kind: 'byte_fallback',
      tokens: ['', '<0x0A>', '▁a', '', '<extra>'],
    });
    const decoder = { type: 'Sequence', decoders: [{ type: 'Replace' }, { type: 'ByteFallback' }] };
    const unigram = {
      type: 'Unigram',
      vocab: [
        ['<0x00>', 0],
        ['▁b', -1],
      ],
    };
    expect(readVocabulary({ model: unigram, decoder })).toEqual({
      kind: 'byte_fallback',
      tokens: ['<0x00>', '▁b'],
    });
  });

  it.each([
    ['WordPiece', fixture('tiny-embedder')],
    ['nothing', undefined],
    ['null', null],
    ['a text', 'x'],
    ['a list', []],
    ['no tokens', { decoder: { type: 'ByteLevel' }, model: { vocab: {} } }],
    ['tokens of another kind', { model: { type: 'Unigram', vocab: [['▁b', -1]] } }],
  ] as const)('is none: %s', (_, tokenizer) => {
    expect(readVocabulary(tokenizer)).toBeUndefined();
  });
});
