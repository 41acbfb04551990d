import { mapPaced } from '../../base/pacer.ts';
import type { FaithfulnessScore } from '../../keys/types.ts';
import type { CollectionView } from '../../retrieve/types.ts';
import { succeeded } from '../outcome.ts';
import type { Judge, JudgeTask } from '../types.ts';
import { supportedBy, supportOf, type Support } from './support.ts';

/** Least shares of supported idf mass for the scores 3, 2 and 1. */
const shares = { 3: 0.9, 2: 0.65, 1: 0.35 } as const;

/**
 * Judges by support in the text: the share of a key's idf mass that the document holds, stems, names and acronyms seen
 * through. A figure or a denial that the document does not have caps the score at 1, whatever the share.
 */
export function createRuleJudge(): Judge {
  return {
    id: 'rules',
    async faithfulness(tasks, view, signal) {
      const judge = ({ documentText, keys }: JudgeTask) => {
        const document = supportedBy(documentText, view);
        return succeeded(keys.map((key) => scoreOf(supportOf(key.text, document, view))));
      };
      return mapPaced(tasks, judge, signal);
    },
    async answerability(pairs, view, signal) {
      return mapPaced(
        pairs,
        ({ documentText, query }) =>
          succeeded(scoreOf(supportOf(query, supportedBy(documentText, view), view)).score),
        signal,
      );
    },
  };
}

export function judgeByRule(documentText: string, text: string, view: CollectionView): FaithfulnessScore {
  return scoreOf(supportOf(text, supportedBy(documentText, view), view));
}

function scoreOf(support: Support): FaithfulnessScore {
  return { ...verdictOf(support), value: support.share };
}

function verdictOf(support: Support): FaithfulnessScore {
  const share = support.share;
  const score = share >= shares[3] ? 3 : share >= shares[2] ? 2 : share >= shares[1] ? 1 : 0;
  if (score > 1 && support.numbers.length > 0)
    return { score: 1, reason: `The document does not have the figure ${support.numbers.join(', ')}.` };
  if (score > 1 && support.negated)
    return { score: 1, reason: 'It denies something; the document denies nothing.' };
  if (support.lacking.length === 0 && score === 3)
    return { score, reason: 'Every word of it is in the document.' };
  const percent = Math.round(share * 100);
  const lacking = support.lacking.length > 0 ? `; not there: ${support.lacking.join(', ')}` : '';
  return { score, reason: `${percent} % of its weight is in the document${lacking}.` };
}
