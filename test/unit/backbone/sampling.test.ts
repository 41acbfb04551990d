import { describe, expect, it } from 'vitest';
import { createSampler, softmaxOver } from '../../../src/backbone/sampling.ts';

const logits = Float32Array.from([0, 3, 2, 3, -50]);
const draw = (temperature: number, seed: number, times: number) => {
  const sample = createSampler(temperature, seed);
  return Array.from({ length: times }, () => sample(logits));
};

describe('sampling', () => {
  it('takes the likeliest token at temperature 0, the lower id of equals', () => {
    expect(draw(0, 7, 3)).toEqual([1, 1, 1]);
  });

  it('repeats itself for one seed and not for another', () => {
    expect(draw(1, 7, 30)).toEqual(draw(1, 7, 30));
    expect(draw(1, 7, 30)).not.toEqual(draw(1, 8, 30));
  });

  it('draws as often as the probabilities say, within the nucleus', () => {
    const times = 20_000;
    const counts = [0, 0, 0, 0, 0];
    for (const id of draw(1, 1, times)) counts[id]++;
    // e⁰, e³, e², e³ are .021, .414, .152, .414 of the whole: .95 is passed with the third, so token 0 is left out.
    const head = [0, Math.exp(3), Math.exp(2), Math.exp(3), 0];
    const mass = head.reduce((sum, weight) => sum + weight);
    head.forEach((weight, id) => expect(Math.abs(counts[id] / times - weight / mass)).toBeLessThan(0.01));
    expect(counts[0] + counts[4]).toBe(0);
  });

  it('is all but greedy when cold', () => {
    const sample = createSampler(0.01, 3);
    const clear = Float32Array.from([1, 2, 3]);
    expect(Array.from({ length: 20 }, () => sample(clear))).toEqual(new Array(20).fill(2));
  });

  it('compares options among themselves', () => {
    const [a, b] = softmaxOver(Float32Array.from([0, 5, 5 + Math.log(3), 100]), [1, 2]);
    expect(a).toBeCloseTo(0.25, 6);
    expect(b).toBeCloseTo(0.75, 6);
  });
});
