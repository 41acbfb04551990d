import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { planBatches } from '../../../src/embed/batches.ts';
import { embeddingSettings } from '../../../src/embed/embedding-settings.ts';
import { poolRows } from '../../../src/embed/pooling.ts';

describe('batches', () => {
  it('put texts of like length together, longest first', () => {
    expect(planBatches([5, 100, 6, 90, 5], 2, 1000)).toEqual([[1, 3], [2, 0], [4]]);
  });

  it('hold every text once, and no more than they may', () => {
    const lengths = fc.array(fc.integer({ min: 1, max: 600 }), { maxLength: 80 });
    fc.assert(
      fc.property(
        lengths,
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 1, max: 2000 }),
        (list, most, tokens) => {
          const batches = planBatches(list, most, tokens);
          expect(batches.flat().sort((a, b) => a - b)).toEqual(list.map((_, i) => i));
          for (const batch of batches) {
            const padded = batch.length * Math.max(...batch.map((i) => list[i]));
            expect(batch.length).toBeLessThanOrEqual(most);
            expect(batch.length === 1 || padded <= tokens).toBe(true);
          }
        },
      ),
    );
  });
});

describe('pooling', () => {
  // Two texts of two tokens; the second token of the second is padding.
  const states = { dims: [2, 2, 2], data: Float32Array.of(3, 0, 1, 3, 0, 2, 9, 9) };
  const rows = (pooling: 'mean' | 'cls' | 'last') =>
    poolRows(states, [2, 1], pooling).rows.map((row) => [...row].map((x) => Number(x.toFixed(4))));

  it('takes the mean, the first or the last of a text, padding left out, as a unit vector', () => {
    expect(rows('mean')).toEqual([
      [0.8, 0.6],
      [0, 1],
    ]);
    expect(rows('cls')).toEqual([
      [1, 0],
      [0, 1],
    ]);
    expect(rows('last')).toEqual([
      [0.3162, 0.9487],
      [0, 1],
    ]);
  });

  it('only normalises what the model has pooled itself', () => {
    const { rows: pooled, dimensions } = poolRows({ dims: [1, 2], data: Float32Array.of(3, 4) }, [7], 'mean');
    expect([...pooled[0]].map((x) => x.toFixed(2))).toEqual(['0.60', '0.80']);
    expect(dimensions).toBe(2);
  });

  it.each([[NaN], [Infinity], [0]])('refuses %d', (value) => {
    const broken = { dims: [1, 1, 2], data: Float32Array.of(value, value) };
    expect(() => poolRows(broken, [1], 'mean')).toThrowError(
      expect.objectContaining({ code: 'model-failed' }) as Error,
    );
  });
});

describe('the use of an encoder', () => {
  const filesOf = (files: Record<string, object>) =>
    new Map(
      Object.entries(files).map(([path, value]) => [path, new TextEncoder().encode(JSON.stringify(value))]),
    );

  it('is what its own files say', () => {
    const files = filesOf({
      '1_Pooling/config.json': { pooling_mode_cls_token: true, pooling_mode_mean_tokens: false },
      'config_sentence_transformers.json': { prompts: { query: 'query: ', document: 'passage: ' } },
      'sentence_bert_config.json': { max_seq_length: 384 },
    });
    expect(embeddingSettings('unknown', files, 512)).toEqual({
      pooling: 'cls',
      queryPrefix: 'query: ',
      passagePrefix: 'passage: ',
      maxTokens: 384,
    });
  });

  it('is what the catalogue says where they are silent, and else the usual', () => {
    const usual = { pooling: 'mean', queryPrefix: '', passagePrefix: '' };
    expect(embeddingSettings('all-MiniLM-L6-v2', filesOf({}), 512)).toEqual({ ...usual, maxTokens: 256 });
    expect(embeddingSettings('multilingual-e5-small', filesOf({}), 512)).toEqual({
      pooling: 'mean',
      queryPrefix: 'query: ',
      passagePrefix: 'passage: ',
      maxTokens: 512,
    });
    const qwen = embeddingSettings('Qwen3-Embedding-0.6B', filesOf({}), 131_072);
    expect(qwen).toMatchObject({ pooling: 'last', passagePrefix: '' });
    expect(qwen.queryPrefix).toMatch(/^Instruct: .*\nQuery:$/);
    expect(embeddingSettings('unknown', filesOf({}), 128)).toEqual({ ...usual, maxTokens: 128 });
    expect(embeddingSettings('unknown', filesOf({}), Infinity)).toEqual({ ...usual, maxTokens: 512 });
  });
});
