import { makeGeneratedKey } from './key-id.ts';
import { normaliseKeyText } from './normalise.ts';
import type { IndexKey, KeyOrigin, KeySet, Proposal } from './types.ts';

/** A proposal resolved against the key set that it revises: what would stand beside the original key. */
export interface ResolvedProposal {
  /** Current generated keys that stay, in the key set's order. */
  readonly kept: IndexKey[];
  /** New keys, in the order of the proposal. */
  readonly fresh: IndexKey[];
}

/**
 * Resolves a proposal (design.md §3b): ids to keep are looked up among the generated keys alone, and unknown ones are
 * passed over; a key that is a duplicate, after normalisation, of the original or of a key before it is dropped, and so
 * is one that says nothing; a rewritten key that equals a current generated one is that key, kept and not new. At most
 * `limit` keys stand (keyBudget − 1): kept ones first, then new ones in order.
 */
export function resolveProposal(
  keySet: KeySet,
  proposal: Proposal,
  limit: number,
  origin: Omit<KeyOrigin, 'form'> = { by: 'reviser' },
): ResolvedProposal {
  const keep = new Set(proposal.keep);
  const byForm = new Map<string, IndexKey>();
  for (const key of keySet.generated) {
    const form = normaliseKeyText(key.text);
    if (!byForm.has(form)) byForm.set(form, key);
  }
  for (const proposed of proposal.revised) {
    const same = byForm.get(normaliseKeyText(proposed.text));
    if (same) keep.add(same.id);
  }

  const seen = new Set(['', normaliseKeyText(keySet.original.text)]);
  const isNew = (text: string): boolean => {
    const form = normaliseKeyText(text);
    if (seen.has(form)) return false;
    seen.add(form);
    return true;
  };
  const kept = keySet.generated.filter((key) => keep.has(key.id) && isNew(key.text)).slice(0, limit);
  const fresh = proposal.revised
    .filter((proposed) => isNew(proposed.text))
    .slice(0, Math.max(0, limit - kept.length))
    .map((proposed) => makeGeneratedKey(keySet.documentId, proposed, origin));
  return { kept, fresh };
}
