import { SelfIndexError } from '../../base/errors.ts';
import { modelName } from '../spec.ts';

/** One judge, as data. */
export type JudgePart =
  /** Support in the words of the text. */
  | { readonly kind: 'rules' }
  /** The cosine of key and document. */
  | { readonly kind: 'embedder' }
  /** The language model, asked for 0–3. */
  | { readonly kind: 'prompted' }
  /** The language model, claim by claim. */
  | { readonly kind: 'claims' }
  /** A search with the key by another retriever; absent: the one that does not evolve. */
  | { readonly kind: 'roundtrip'; readonly by?: 'bm25' | 'dense' }
  /** A model of transformers.js that reads key and passage together: a reranker, or one for entailment. */
  | { readonly kind: 'crossencoder' | 'nli'; readonly model: string };

const forms =
  'rules, embedder, prompted, claims, roundtrip (also roundtrip:bm25, roundtrip:dense), crossencoder:MODEL, nli:MODEL, or ' +
  'several joined by +';

/**
 * Parses what `judge` says: `rules`, `embedder`, `prompted` (also called `model`), `claims`, `roundtrip[:bm25|:dense]`,
 * `crossencoder:MODEL`, `nli:MODEL`, or several joined by `+`, of which the lowest score counts. At least one part, in the order given.
 * @throws SelfIndexError `invalid-argument`, which says what is wrong with the given one
 */
export function parseJudgeSpec(spec: string): readonly JudgePart[] {
  const parts = spec.split('+').map((name) => parsePart(spec, name.trim()));
  const names = parts.map(judgePartName);
  const twice = names.find((name, i) => names.indexOf(name) < i);
  if (twice !== undefined) throw refuse(spec, `${twice} is named twice`);
  return parts;
}

/** The part as `parseJudgeSpec` reads it. */
export function judgePartName(part: JudgePart): string {
  if (part.kind === 'roundtrip') return part.by ? `roundtrip:${part.by}` : part.kind;
  return 'model' in part ? `${part.kind}:${part.model}` : part.kind;
}

function parsePart(spec: string, name: string): JudgePart {
  const [, reader, model] = /^(crossencoder|nli)(?::(.*))?$/s.exec(name) ?? [];
  if (reader === 'crossencoder' || reader === 'nli') {
    if (!modelName.test(model ?? '')) throw refuse(spec, `${reader} needs the folder of its model`);
    return { kind: reader, model };
  }
  switch (name) {
    case 'rules':
    case 'embedder':
    case 'prompted':
    case 'claims':
    case 'roundtrip':
      return { kind: name };
    case 'model':
      return { kind: 'prompted' };
    case 'roundtrip:bm25':
      return { kind: 'roundtrip', by: 'bm25' };
    case 'roundtrip:dense':
      return { kind: 'roundtrip', by: 'dense' };
    default:
      throw refuse(spec, name === '' ? 'a name is missing' : `there is no judge named "${name}"`);
  }
}

function refuse(spec: string, why: string): SelfIndexError {
  return new SelfIndexError('invalid-argument', `Judge "${spec}": ${why}. Use ${forms}.`, {
    details: { judge: spec },
  });
}
