import { createRandom } from '../base/random.ts';
import { createTextSimulator } from '../roles/extractive/simulator.ts';
import type { CalibrationPair } from '../roles/judges/embedder-judge.ts';
import { retrieverOverOriginals } from './originals.ts';
import type { IndexState } from './state.ts';

/** Documents that pairs are made from; a judge's thresholds need some dozens. */
const sampled = 64;
const depth = 10;

/**
 * Simulated searches with the text that they were made from and the text that BM25 ranks best of the others: what an
 * embedder's thresholds are set on. Made by rules, from the original texts alone: the same for the same collection, whatever
 * keys it has by now.
 */
export async function calibrationPairs(state: IndexState): Promise<CalibrationPair[]> {
  const documents = createRandom('calibration')
    .shuffle([...state.documents.values()])
    .slice(0, sampled);
  const outcomes = await createTextSimulator().simulate(
    documents.map(({ id, title, text }) => ({
      documentId: id,
      title,
      text,
      count: 1,
      seed: `calibration/${id}`,
    })),
    state.view,
  );
  const searches = documents.flatMap((document, i) => {
    const outcome = outcomes[i];
    return outcome.ok && outcome.value.length > 0 ? [{ document, query: outcome.value[0] }] : [];
  });
  const bm25 = await retrieverOverOriginals('bm25', state);
  const hits = await bm25.topKeys(
    searches.map(({ query }) => query),
    depth,
  );
  await bm25.dispose();
  return searches.flatMap(({ document, query }, i) => {
    const rival = hits[i].find((hit) => hit.documentId !== document.id);
    const own = state.keySets.get(document.id)?.original.text;
    const other = rival && state.keySets.get(rival.documentId)?.original.text;
    return own !== undefined && other !== undefined
      ? [{ query, documentText: own, hardNegativeText: other }]
      : [];
  });
}
