import { createRandom } from '../base/random.ts';

/** Of the probabilities, sorted, the smallest head that holds this much is sampled from: the tail of a small model is noise. */
const nucleus = 0.95;

/** Chooses the next token of one row from its logits. */
export type Sampler = (logits: Float32Array) => number;

/** The likeliest at temperature 0, ties to the lower id; else nucleus sampling, the same for the same seed. */
export function createSampler(temperature: number, seed: number): Sampler {
  if (temperature === 0) return likeliest;
  const random = createRandom(`sampling/${seed}`);
  return (logits) => {
    const probabilities = softmax(logits, temperature);
    // Only tokens within e⁻¹⁰ of the best can be in the nucleus of anything but a flat distribution; sorting all is slow.
    const least = probabilities[likeliest(probabilities)] * Math.exp(-10);
    const head = [...probabilities.keys()].filter((id) => probabilities[id] >= least);
    head.sort((a, b) => probabilities[b] - probabilities[a] || a - b);
    let mass = 0;
    let size = 0;
    while (size < head.length && mass < nucleus) mass += probabilities[head[size++]];
    let rest = random.next() * mass;
    for (const id of head.slice(0, size)) {
      rest -= probabilities[id];
      if (rest < 0) return id;
    }
    return head[0];
  };
}

/** Probabilities of a softmax over the given entries alone. */
export function softmaxOver(logits: Float32Array, ids: readonly number[]): Float32Array {
  return softmax(
    Float32Array.from(ids, (id) => logits[id]),
    1,
  );
}

function softmax(logits: Float32Array, temperature: number): Float32Array {
  const best = logits[likeliest(logits)];
  const weights = logits.map((logit) => Math.exp((logit - best) / temperature));
  let sum = 0;
  for (const weight of weights) sum += weight;
  return weights.map((weight) => weight / sum);
}

function likeliest(values: Float32Array): number {
  let best = 0;
  for (let i = 1; i < values.length; i++) if (values[i] > values[best]) best = i;
  return best;
}
