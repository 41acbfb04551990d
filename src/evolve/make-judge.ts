import type { LanguageModel } from '../backbone/types.ts';
import { SelfIndexError } from '../base/errors.ts';
import type { PairScorer } from '../embed/pair-scorer.ts';
import type { Embedder } from '../embed/types.ts';
import { spaceOf } from '../embed/cached-embedder.ts';
import type { RetrieverKind } from '../retrieve/types.ts';
import { createRuleJudge } from '../roles/extractive/judge.ts';
import { combineJudges } from '../roles/judges/combined-judge.ts';
import { calibrateEmbedderJudge, createEmbedderJudge } from '../roles/judges/embedder-judge.ts';
import {
  calibrateCrossEncoder,
  createCrossEncoderJudge,
  createNliJudge,
} from '../roles/judges/pair-judges.ts';
import { createRoundtripJudge } from '../roles/judges/roundtrip-judge.ts';
import type { JudgePart } from '../roles/judges/spec.ts';
import { fewestPairs } from '../roles/judges/thresholds.ts';
import { claimsJudge, promptedJudge } from '../roles/prompted/judges.ts';
import type { Judge } from '../roles/types.ts';
import { calibrationPairs } from './calibration-pairs.ts';
import { checkJudge, secondRetriever } from './judge-means.ts';
import { retrieverOverOriginals } from './originals.ts';
import { documentsHash } from './run-config.ts';
import type { IndexState } from './state.ts';

/** What judges can be made of. */
export interface JudgeParts {
  readonly embedder?: Embedder;
  /** Asked by `prompted` and `claims`. */
  readonly model?: LanguageModel;
  /** Loads the model of `crossencoder:MODEL` and `nli:MODEL`; whoever gives it disposes of what it loaded. */
  readonly loadScorer?: (model: string) => Promise<PairScorer>;
}

/**
 * The judge that a spec names, for the documents of `state`; several parts are combined, the lowest score counts. An
 * embedder's thresholds are set on searches simulated from those documents, a round trip searches their original texts: where
 * documents change, make it anew. Its id changes with them.
 * @param evolving the retriever under evolution; null where none is, and a round trip may take either
 * @throws SelfIndexError as `checkJudge`
 */
export async function makeJudge(
  parts: readonly JudgePart[],
  means: JudgeParts,
  state: IndexState,
  evolving: RetrieverKind | null = state.retriever.kind,
): Promise<Judge> {
  const retriever = evolving ?? undefined;
  checkJudge(parts, { ...whatIsThere(means), retriever });
  const judges: Judge[] = [];
  for (const part of parts) judges.push(await makePart(part, means, state, retriever));
  return judges.length === 1 ? judges[0] : combineJudges(judges);
}

/** For `checkJudge`. */
export function whatIsThere({ embedder, model, loadScorer }: JudgeParts) {
  return {
    embedder: embedder !== undefined,
    model: model !== undefined,
    scorers: loadScorer !== undefined,
  };
}

async function makePart(
  part: JudgePart,
  { embedder, model, loadScorer }: JudgeParts,
  state: IndexState,
  retriever: RetrieverKind | undefined,
): Promise<Judge> {
  switch (part.kind) {
    case 'rules':
      return createRuleJudge();
    case 'prompted':
      return promptedJudge(model as LanguageModel);
    case 'claims':
      return claimsJudge(model as LanguageModel);
    case 'embedder': {
      const pairs = await calibrationPairs(state);
      const judging = embedder as Embedder;
      return createEmbedderJudge(
        judging,
        pairs.length >= fewestPairs ? await calibrateEmbedderJudge(judging, pairs) : undefined,
      );
    }
    case 'crossencoder': {
      const scorer = await scorerOf(part.model, loadScorer);
      const pairs = await calibrationPairs(state);
      return createCrossEncoderJudge(
        scorer,
        pairs.length >= fewestPairs ? await calibrateCrossEncoder(scorer, pairs) : undefined,
      );
    }
    case 'nli':
      return createNliJudge(await scorerOf(part.model, loadScorer));
    case 'roundtrip': {
      const by = secondRetriever(part, retriever);
      const second = await retrieverOverOriginals(by, state, embedder);
      const space =
        by === 'dense' && embedder
          ? ` ${embedder.fingerprint.model} ${spaceOf(embedder.fingerprint).slice(0, 8)}`
          : '';
      return createRoundtripJudge({
        id: `${by}${space} over ${(await documentsHash(state)).slice(0, 8)}`,
        size: state.documents.size,
        rivals: (pairs, signal) => second.rivals(pairs, signal),
      });
    }
  }
}

function scorerOf(model: string, load: JudgeParts['loadScorer']): Promise<PairScorer> {
  if (!load) throw new SelfIndexError('invalid-argument', 'There is no way to load a scorer.');
  return load(model);
}
