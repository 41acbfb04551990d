import { createRandom } from '../../../src/base/random.ts';
import type { Embedder } from '../../../src/embed/types.ts';

const dimensions = 384;

/**
 * No model: every word has a random direction, a text the weighted sum of its words'. Texts that share words are near, in as many
 * dimensions as MiniLM has, at a cost that hides nothing of the scoring.
 */
export function createStandInEmbedder(): Embedder {
  const directions = new Map<string, Float32Array>();
  const directionOf = (word: string): Float32Array => {
    let direction = directions.get(word);
    if (!direction) {
      const random = createRandom(`word ${word}`);
      direction = Float32Array.from({ length: dimensions }, () => random.next() - 0.5);
      directions.set(word, direction);
    }
    return direction;
  };
  return {
    dimensions,
    maxTokens: 512,
    fingerprint: {
      model: 'stand-in: random directions of words',
      revision: '1',
      dtype: 'fp32',
      pooling: 'mean',
      dimensions,
      queryPrefix: '',
      passagePrefix: '',
      tokenizer: 'words',
    },
    async embed(texts) {
      const vectors = new Float32Array(texts.length * dimensions);
      for (const [i, text] of texts.entries()) {
        const vector = vectors.subarray(i * dimensions, (i + 1) * dimensions);
        const counts = new Map<string, number>();
        for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? ['']) {
          counts.set(word, (counts.get(word) ?? 0) + 1);
        }
        for (const [word, count] of counts) {
          const weight = (1 + Math.log(count)) * Math.min(8, word.length);
          const direction = directionOf(word);
          for (let d = 0; d < dimensions; d++) vector[d] += weight * direction[d];
        }
        const norm = Math.hypot(...vector);
        for (let d = 0; d < dimensions; d++) vector[d] /= norm;
      }
      return vectors;
    },
    async dispose() {},
  };
}
