import { describe, expect, it } from 'vitest';
import { connectEmbedder } from '../../../src/embed/worker-embedder.ts';
import { dot, embedderWorker } from '../fixtures/models.ts';

const folder = '/test/fixtures/models/';
const width = 8;

interface Reference {
  readonly texts: readonly string[];
  readonly query: readonly (readonly number[])[];
  readonly passage: readonly (readonly number[])[];
}

/** test/fixtures/models/make_tiny_last.py: called as Qwen3-Embedding is, its last token's state is that of the whole text. */
describe('an encoder that is a decoder', () => {
  it.each(['wasm', 'webgpu'] as const)(
    'is pooled at the last token of each text, with its instruction before queries: %s',
    async (device) => {
      const response = await fetch(`${folder}tiny-last/reference.json`);
      const reference = (await response.json()) as Reference;
      const spec = { model: 'tiny-last', base: folder, dtype: 'fp32', device } as const;
      const embedder = await connectEmbedder(embedderWorker(), spec);
      expect(embedder.device?.device).toBe(device);
      expect(embedder.fingerprint).toMatchObject({
        pooling: 'last',
        queryPrefix: 'Instruct: find it\nQuery: ',
        passagePrefix: '',
      });
      for (const role of ['query', 'passage'] as const) {
        // Of several lengths, which on a GPU share a batch.
        const rows = await embedder.embed(reference.texts, role);
        reference[role].forEach((expected, i) =>
          expect(dot(expected, rows.subarray(i * width, (i + 1) * width))).toBeCloseTo(1, 5),
        );
      }
    },
  );
});
