import type { DeviceChoice, Embedder } from '../types.ts';
import { raceTexts } from './probe-texts.ts';

/** A device and how fast it was. */
export interface Timed extends DeviceChoice {
  readonly textsPerSecond: number;
}

/**
 * How fast an embedder is. One text warms it up; one that takes longer for the next alone than the fastest so far takes for
 * all has lost, and is spared the rest: so a race costs little also where one device is hopeless.
 *
 * @param clock milliseconds
 * @param toBeat texts per second of the fastest so far; 0 for none
 */
export async function timeEmbedder(
  embedder: Pick<Embedder, 'embed'>,
  clock: () => number,
  toBeat: number,
  signal?: AbortSignal,
): Promise<number> {
  const [first, second] = raceTexts;
  await embedder.embed([first], 'passage', { signal });
  const alone = await timed([second]);
  if (toBeat > 0 && alone > (1000 * raceTexts.length) / toBeat) return 1000 / alone;
  return (1000 * raceTexts.length) / (await timed(raceTexts));

  async function timed(texts: readonly string[]): Promise<number> {
    const start = clock();
    await embedder.embed(texts, 'passage', { signal });
    // A clock of low resolution may stand still.
    return Math.max(clock() - start, 0.01);
  }
}

/** Fastest first; of equals the one that came first. */
export function bySpeed(timings: readonly Timed[]): Timed[] {
  return [...timings].sort((a, b) => b.textsPerSecond - a.textsPerSecond);
}
