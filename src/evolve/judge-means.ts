import { SelfIndexError } from '../base/errors.ts';
import type { RetrieverKind } from '../retrieve/types.ts';
import { judgePartName, parseJudgeSpec, type JudgePart } from '../roles/judges/spec.ts';
import { parseRolesSpec } from '../roles/spec.ts';
import type { RolesChoice } from './types.ts';

/** What there is to make judges of, before any of it is loaded. */
export interface JudgeMeans {
  readonly embedder: boolean;
  readonly model: boolean;
  /** Models that read key and passage together can be loaded. Default false. */
  readonly scorers?: boolean;
  /** The retriever under evolution; absent where none evolves. */
  readonly retriever?: RetrieverKind;
}

/**
 * Refuses a judge that could not be made.
 * @throws SelfIndexError `invalid-argument`: no embedder, no language model, no way to load a scorer, or a round trip by the retriever that evolves
 */
export function checkJudge(
  parts: readonly JudgePart[],
  { embedder, model, scorers = false, retriever }: JudgeMeans,
): void {
  for (const part of parts) {
    if (part.kind === 'embedder' && !embedder)
      throw refuse('To judge by an embedder, name one in `embedder`.');
    if ((part.kind === 'prompted' || part.kind === 'claims') && !model)
      throw refuse(`The judge ${part.kind} asks a language model, and these roles have none.`);
    if ((part.kind === 'crossencoder' || part.kind === 'nli') && !scorers)
      throw refuse(
        `The judge ${judgePartName(part)} needs a worker for its model: give \`loadScorer\` to openIndex.`,
      );
    if (part.kind !== 'roundtrip') continue;
    const by = secondRetriever(part, retriever);
    if (by === (retriever === 'hybrid' ? 'bm25' : retriever))
      throw refuse(
        `A round trip must not search with ${by}, by which keys are validated: use roundtrip, which takes the other retriever.`,
      );
    if (by === 'dense' && !embedder)
      throw refuse(
        `A round trip needs a second retriever: beside ${retriever ?? 'bm25'} that is an embedder; name one in \`embedder\`.`,
      );
  }
}

/** The retriever of a round trip: the named one, else BM25 where dense evolves and dense where BM25 validates. */
export function secondRetriever(
  part: JudgePart & { kind: 'roundtrip' },
  evolving: RetrieverKind | undefined,
): 'bm25' | 'dense' {
  return part.by ?? (evolving === 'dense' ? 'bm25' : 'dense');
}

/** True where a judge needs an embedder beside what the retriever needs. */
export function needsEmbedder(parts: readonly JudgePart[], retriever?: RetrieverKind): boolean {
  return parts.some(
    (part) =>
      part.kind === 'embedder' || (part.kind === 'roundtrip' && secondRetriever(part, retriever) === 'dense'),
  );
}

/** True where a judge asks a language model. */
export function needsModel(parts: readonly JudgePart[]): boolean {
  return parts.some(({ kind }) => kind === 'prompted' || kind === 'claims');
}

/**
 * Refuses, before anything is loaded, what could never be made.
 * @param retriever the one that evolves
 * @param embedder whether there is one to judge with; default: where the spec names one
 * @throws SelfIndexError `invalid-argument` for roles or a judge that are not understood or lack what they need
 */
export function checkRoles(
  spec: RolesChoice,
  retriever: RetrieverKind,
  embedder = spec.embedder !== undefined,
): void {
  const model = parseRolesSpec(spec.roles).kind !== 'extractive';
  if (spec.judge !== undefined) checkJudge(parseJudgeSpec(spec.judge), { embedder, model, retriever });
}

function refuse(message: string): SelfIndexError {
  return new SelfIndexError('invalid-argument', message);
}
