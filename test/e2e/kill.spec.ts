import { expect, test, type Page } from '@playwright/test';
import { createRandom } from '../../src/base/random.ts';
import type { EngineSpec, EvolveOptions } from '../../src/evolve/types.ts';
import type { Harness } from './harness/harness.ts';
import { startScriptedEndpoint, type ScriptedEndpoint } from './harness/scripted-endpoint.ts';
import { kitchen } from '../unit/evolve/kitchen.ts';

/**
 * The kill test: the page is closed at random moments of an evolution, inside commits too. A reopened index must stand at a whole
 * version, go on where it was, ask the model for nothing whose answer it had, and end as a run that nobody killed.
 */

const kills = 50;
/** Milliseconds that a page lives at most after it has gone on. */
const longestLife = 700;
const harnessUrl = 'http://localhost:4174/';
const options: Omit<EvolveOptions, 'signal'> = {
  iterations: 3,
  batch: 12,
  order: 'paper',
  guard: { queries: 8 },
  seed: 7,
};
const queries = kitchen.map(({ title }) => title);

function spec(name: string, endpoint: ScriptedEndpoint): EngineSpec {
  return { name, store: 'indexeddb', roles: `openai:${endpoint.url}#scripted`, settings: { depth: 6 } };
}

async function openHarness(page: Page, engine: EngineSpec): Promise<number> {
  await page.goto(harnessUrl);
  await page.waitForFunction(() => globalThis.harness !== undefined);
  return page.evaluate((s) => (globalThis.harness as Harness).open(s), engine);
}

const call = <T>(page: Page, work: (harness: Harness) => T | Promise<T>): Promise<T> =>
  page.evaluate(`(${work.toString()})(globalThis.harness)`);

test('a page closed at 50 random moments loses nothing, pays nothing twice and ends as if nothing had happened', async ({
  context,
}) => {
  test.setTimeout(600_000);
  const endpoint = await startScriptedEndpoint();
  try {
    let page = await context.newPage();
    await openHarness(page, spec('never-killed', endpoint));
    await page.evaluate((documents) => (globalThis.harness as Harness).add(documents), kitchen);
    await page.evaluate((o) => (globalThis.harness as Harness).start(o), options);
    await call(page, (harness) => harness.wait());
    const expected = await page.evaluate((q) => (globalThis.harness as Harness).endState(q), queries);
    await page.close();
    expect(expected.version).toBe(options.iterations);
    expect(Object.values(expected.keys).flat().length).toBeGreaterThan(2 * kitchen.length);

    const random = createRandom('kill');
    const closings: number[] = [];
    const starts = [endpoint.ledger.length];
    let version = 0;
    const name = () => `killed-${starts.length}`;
    const step = async (): Promise<'working' | 'finished'> => {
      page = await context.newPage();
      const reopened = await openHarness(page, spec(name(), endpoint));
      expect(reopened).toBeGreaterThanOrEqual(version);
      expect(reopened).toBeLessThanOrEqual(Number(options.iterations));
      version = reopened;
      if (await call(page, (harness) => harness.unfinished())) {
        await call(page, (harness) => harness.resume());
      } else if (version === options.iterations) {
        expect(await page.evaluate((q) => (globalThis.harness as Harness).endState(q), queries)).toEqual(
          expected,
        );
        return 'finished';
      } else {
        // Nothing had been begun yet, or the page was closed before the run was on record.
        expect(version).toBe(0);
        await page.evaluate((documents) => (globalThis.harness as Harness).add(documents), kitchen);
        await page.evaluate((o) => (globalThis.harness as Harness).start(o), options);
      }
      return 'working';
    };

    for (let kill = 0; kill < kills;) {
      if ((await step()) === 'working') {
        kill++;
        await new Promise((resolve) => setTimeout(resolve, random.integer(longestLife)));
        await page.close();
        closings.push(endpoint.ledger.length);
        continue;
      }
      // It came through: once more from the beginning, in a new index.
      await page.close();
      starts.push(endpoint.ledger.length);
      version = 0;
    }
    while ((await step()) === 'working') {
      await call(page, (harness) => harness.wait());
      await page.close();
    }

    expect(paidTwice(endpoint.ledger, starts, closings)).toEqual([]);
  } finally {
    await endpoint.close();
  }
});

/** What is in flight at most when a page closes; some of it reaches the endpoint only after the closing is on record. */
const batch = 4;

/** Requests that were asked again although their answer had been in the index before the page closed. */
function paidTwice(
  ledger: readonly string[],
  starts: readonly number[],
  closings: readonly number[],
): string[] {
  return starts.flatMap((start, run) => {
    const end = starts[run + 1] ?? ledger.length;
    const seen = new Map<string, number>();
    return ledger.slice(start, end).filter((hash, offset) => {
      const at = start + offset;
      const before = seen.get(hash);
      seen.set(hash, at);
      return (
        before !== undefined &&
        !closings.some((closing) => closing <= at && before >= closing - batch && before < closing + batch)
      );
    });
  });
}
