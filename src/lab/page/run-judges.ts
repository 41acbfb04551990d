import type { PairScorer } from '../../embed/pair-scorer.ts';
import { connectEmbedder } from '../../embed/worker-embedder.ts';
import { connectPairScorer } from '../../embed/worker-scorer.ts';
import { makeMachinery } from '../../evolve/machinery.ts';
import { makeModel } from '../../evolve/remote/make-roles.ts';
import { ownWorkers, startModels } from '../../evolve/remote/model-workers.ts';
import { IndexState } from '../../evolve/state.ts';
import { generatorPlace, parseRolesSpec } from '../../roles/spec.ts';
import { createMemoryStore } from '../../store/memory.ts';
import { measureJudges, type JudgeReport } from '../judges/measure-judges.ts';
import type { JudgesRequest, LabProgress } from '../types.ts';
import { fetchCollection } from './fetch-collection.ts';
import { labEmbedderWorker } from './open-index.ts';

/** Fetches the collection, loads what the judges need in the product's workers, and measures them. */
export async function runJudges(
  request: JudgesRequest,
  onProgress: (progress: LabProgress) => void,
): Promise<JudgeReport[]> {
  const collection = await fetchCollection();
  onProgress({ step: 'indexing', done: 0, total: collection.documents.length });
  const state = await IndexState.make(collection.documents, [], 0, makeMachinery('bm25'), 'max');
  const embedder = request.embedder && (await connectEmbedder(labEmbedderWorker(), request.embedder));
  const model = await loadModel(request);
  const scorers: PairScorer[] = [];
  const loadScorer = async (name: string) => {
    const scorer = await connectPairScorer(scorerWorker(), { ...request.scorer, model: name });
    scorers.push(scorer);
    return scorer;
  };
  const means = { embedder, model, loadScorer };
  try {
    return await measureJudges({ ...request, collection, state, means, onProgress });
  } finally {
    for (const scorer of scorers) await scorer.dispose();
    await model?.dispose();
    await embedder?.dispose();
  }
}

async function loadModel({ model, generator, apiKey }: JudgesRequest) {
  if (model === undefined) return undefined;
  const wanted = { embedder: false, generator: generatorPlace(parseRolesSpec(model)) };
  const { ports } = startModels(ownWorkers, wanted);
  return makeModel(
    { roles: model, generator, apiKey },
    { answers: createMemoryStore('lab').answers, generator: ports.generator },
  );
}

function scorerWorker(): Worker {
  return new Worker(new URL('../../../workers/scorer.worker.ts', import.meta.url), { type: 'module' });
}
