import type { Embedder } from '../../../src/embed/types.ts';
import { sha256Hex } from '../../../src/base/hash.ts';
import { wordAnalyser } from './reference.ts';

const dimensions = 32;

/** A bag of words, each thrown to one of 32 dimensions, L2-normalised: texts that share words are near. Counts its work. */
export function wordEmbedder(): Embedder & { readonly embedded: string[] } {
  const embedded: string[] = [];
  return {
    embedded,
    dimensions,
    maxTokens: 1000,
    fingerprint: {
      model: 'words',
      revision: '1',
      dtype: 'fp32',
      pooling: 'mean',
      dimensions,
      queryPrefix: '',
      passagePrefix: '',
      tokenizer: 'words',
    },
    async embed(texts, _role, { signal, onProgress } = {}) {
      signal?.throwIfAborted();
      const vectors = new Float32Array(texts.length * dimensions);
      texts.forEach((text, i) => {
        embedded.push(text);
        const vector = vectors.subarray(i * dimensions, (i + 1) * dimensions);
        vector[0] = 0.1;
        for (const { term } of wordAnalyser.analyse(text)) {
          vector[Number.parseInt(sha256Hex(term).slice(0, 8), 16) % dimensions] += 1;
        }
        const norm = Math.hypot(...vector);
        vector.forEach((value, d) => (vector[d] = value / norm));
        onProgress?.(i + 1, texts.length);
      });
      return vectors;
    },
    async dispose() {},
  };
}
