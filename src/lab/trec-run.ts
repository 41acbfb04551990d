import { SelfIndexError } from '../base/errors.ts';

export interface ScoredDocument {
  readonly documentId: string;
  readonly score: number;
}

/**
 * One query's part of a TREC run: lines `query Q0 document rank score tag`, best first, a line feed after each.
 *
 * trec_eval ignores the order of lines and the ranks: it sorts by score, held in float32, and breaks ties by
 * descending document id, where ours ascend. So a score that is not below the one before it in float32 is written
 * as the next lower float32: what any tool reads is then exactly the order given.
 *
 * @throws `invalid-argument` where an id holds white space, which the format cannot carry.
 */
export function trecRunLines(queryId: string, hits: readonly ScoredDocument[], tag: string): string {
  let previous = Infinity;
  let lines = '';
  hits.forEach((hit, index) => {
    const rounded = Math.fround(hit.score);
    const score = rounded < previous ? rounded : nextLower(previous);
    previous = score;
    lines += `${field(queryId)} Q0 ${field(hit.documentId)} ${index + 1} ${Number(score.toPrecision(9))} ${field(tag)}\n`;
  });
  return lines;
}

function field(id: string): string {
  if (id === '' || /\s/u.test(id))
    throw new SelfIndexError(
      'invalid-argument',
      `A TREC run separates its fields by white space, so it cannot hold the id ${JSON.stringify(id)}: rename it, or leave --run away.`,
      { details: { id } },
    );
  return id;
}

const floats = new Float32Array(1);
const bits = new Uint32Array(floats.buffer);

/** The largest float32 below a finite float32. */
function nextLower(value: number): number {
  floats[0] = value === 0 ? 0 : value;
  if (floats[0] === 0) bits[0] = 0x8000_0001;
  else bits[0] += value > 0 ? -1 : 1;
  return floats[0];
}
