import type { KeyHistory } from '../../evolve/types.ts';
import type { IndexKey, KeyKind, KeyOrigin, Verdict } from '../../keys/types.ts';
import { countCauses, type Cause, type Fall, type Falls } from './analyse.ts';

/** What a key says, where it came from, and what let it through. Plain data. */
export interface KeyStory {
  readonly kind: KeyKind;
  /** Cut to 200 UTF-16 units. */
  readonly text: string;
  readonly by: KeyOrigin['by'];
  readonly form: KeyOrigin['form'];
  /** The version that brought it: one per iteration. Absent for an original. */
  readonly born?: number;
  /** Of the revision that brought it; absent where none did. */
  readonly verdict?: Pick<Verdict, 'specificity' | 'separation' | 'faithfulness'>;
}

export interface ToldFall extends Fall {
  /** The overtaking document's key; absent where no key did it. */
  readonly key?: KeyStory;
}

/** The part of a report about what got worse. Plain data. */
export interface FailureReport {
  /** Queries whose nDCG@10 fell, by cause. */
  readonly worse: Readonly<Record<Cause, number>>;
  /** Relevant documents that left the first ten, by cause. */
  readonly left: Readonly<Record<Cause, number>>;
  /** The largest losses first. */
  readonly worst: readonly ToldFall[];
  readonly lost: readonly ToldFall[];
}

/** Falls of each kind that a report tells in full. */
const told = 10;
const longestText = 200;

/** Where keys are looked up: those of the last version, and how they came to be. */
export interface KeySource {
  keys(documentId: string): Promise<readonly IndexKey[]>;
  history(documentId: string): Promise<KeyHistory>;
}

/** Counts all falls, and tells the worst with the keys behind them. */
export async function failureReport({ worse, left }: Falls, source: KeySource): Promise<FailureReport> {
  const lost = [...left].sort((a, b) => a.ranks[0] - b.ranks[0]);
  return {
    worse: countCauses(worse),
    left: countCauses(left),
    worst: await tellAll(worse.slice(0, told), source),
    lost: await tellAll(lost.slice(0, told), source),
  };
}

async function tellAll(falls: readonly Fall[], source: KeySource): Promise<ToldFall[]> {
  const stories: ToldFall[] = [];
  for (const fall of falls) {
    const { overtakenBy } = fall;
    const story =
      overtakenBy &&
      keyStory(fall, await source.keys(overtakenBy.documentId), await source.history(overtakenBy.documentId));
    stories.push({ ...fall, ...(story ? { key: story } : {}) });
  }
  return stories;
}

/** The story of the key that lifted the overtaking document. Pure. */
export function keyStory(
  { cause, overtakenBy }: Pick<Fall, 'cause' | 'overtakenBy'>,
  keys: readonly IndexKey[],
  { records, revisions }: KeyHistory,
): KeyStory | undefined {
  if (cause !== 'generated key' && cause !== 'expansion key') return undefined;
  const key =
    cause === 'expansion key'
      ? keys.find(({ kind }) => kind === 'expansion')
      : keys.find(({ id, kind }) => id === overtakenBy?.keyId && kind === 'generated');
  if (!key) return undefined;
  const born = records.findLast(({ id }) => id === key.id)?.born;
  const verdict = revisions
    .filter(({ accepted }) => accepted)
    .flatMap(({ verdicts }) => verdicts)
    .findLast(({ keyId, isNew }) => keyId === key.id && isNew);
  const { kind, text, origin } = key;
  return {
    kind,
    text: text.length > longestText ? `${text.slice(0, longestText).toWellFormed()}…` : text,
    by: origin.by,
    form: origin.form,
    ...(born === undefined ? {} : { born }),
    ...(verdict
      ? {
          verdict: {
            specificity: verdict.specificity,
            separation: verdict.separation,
            faithfulness: verdict.faithfulness,
          },
        }
      : {}),
  };
}
