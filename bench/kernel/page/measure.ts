export interface Contender {
  readonly name: string;
  /** One measured run; `round` differs from call to call. */
  readonly run: (round: number) => unknown;
  /** Upper bound of rounds, for what is slow. */
  readonly rounds?: number;
}

export interface Timing {
  readonly name: string;
  readonly median: number;
  readonly least: number;
  readonly rounds: number;
}

/** Of one contender in one round. */
const leastMilliseconds = 4;

/** Rounds before those that count. */
const warming = 8;

const pause = () => new Promise((resolve) => setTimeout(resolve, 0));

/**
 * Medians of interleaved repeats: every round runs every contender once, so that a noisy moment or a change of clock hits all
 * alike, and ratios hold where single figures do not. Two rounds warm up, eight where they are short: optimised code comes late.
 * A run shorter than four milliseconds is repeated within a round and divided: as searches follow one another, what fits a cache is
 * there, whatever ran in between.
 */
export async function interleave(contenders: readonly Contender[], rounds: number): Promise<Timing[]> {
  const times = contenders.map((): number[] => []);
  const repeats = contenders.map(() => 1);
  const isSlow = contenders.map(() => false);
  for (let round = -warming; round < rounds; round++) {
    for (const [i, { run, rounds: most = Infinity }] of contenders.entries()) {
      if (round >= most || (isSlow[i] && round < 0)) continue;
      const start = performance.now();
      for (let repeat = 0; repeat < repeats[i]; repeat++) {
        const done = run(round + warming + repeat);
        if (done instanceof Promise) await done;
      }
      const time = performance.now() - start;
      if (round >= 0) times[i].push(time / repeats[i]);
      if (round === 1 - warming) isSlow[i] = time > 50;
      if (round < 0)
        repeats[i] = Math.max(
          1,
          Math.min(400, Math.ceil((repeats[i] * leastMilliseconds) / Math.max(time, 0.005))),
        );
    }
    await pause();
  }
  return contenders.map(({ name }, i) => {
    const sorted = times[i].sort((a, b) => a - b);
    return { name, median: sorted[sorted.length >> 1], least: sorted[0], rounds: sorted.length };
  });
}
