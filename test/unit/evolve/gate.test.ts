import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { gate } from '../../../src/evolve/gate.ts';
import { makeGeneratedKey, makeOriginalKey } from '../../../src/keys/key-id.ts';
import type { Criterion, KeySet, Verdict } from '../../../src/keys/types.ts';

const key = (text: string) => makeGeneratedKey('d', { text, form: 'question' }, { by: 'reviser' });
const verdict = (text: string, isNew: boolean, failed?: Criterion): Verdict => ({
  keyId: key(text).id,
  text,
  form: 'question',
  isNew,
  passed: failed === undefined,
  failed,
});
const current: KeySet = {
  documentId: 'd',
  original: makeOriginalKey({ id: 'd', text: 'the text' }),
  generated: [key('old 1'), key('old 2')],
};
const texts = (keys: readonly { text: string }[]) => keys.map((k) => k.text);

describe('gate (design.md §3d)', () => {
  it('lets all passing keys stand when a new one passed; failing kept keys and keys not kept vanish', () => {
    const decision = gate(
      current,
      [key('old 1')],
      [key('new 1'), key('new 2')],
      [verdict('old 1', false, 'separation'), verdict('new 1', true), verdict('new 2', true, 'faithfulness')],
    );
    expect(decision.accepted).toBe(true);
    expect(texts(decision.generated)).toEqual(['new 1']);
  });

  it('leaves the set exactly as it was when no new key passed, failing kept keys included, and names them stale', () => {
    const decision = gate(
      current,
      [key('old 1')],
      [key('new 1')],
      [verdict('old 1', false, 'specificity'), verdict('new 1', true, 'separation')],
    );
    expect(decision.accepted).toBe(false);
    expect(decision.generated).toBe(current.generated);
    expect(decision.stale).toEqual([key('old 1').id]);
  });

  it('drops stale keys when pruning, and that alone is no acceptance', () => {
    const verdicts = [verdict('old 1', false, 'specificity'), verdict('new 1', true, 'separation')];
    const decision = gate(current, [key('old 1'), key('old 2')], [key('new 1')], verdicts, { prune: true });
    expect(decision.accepted).toBe(false);
    expect(texts(decision.generated)).toEqual(['old 2']);
  });

  it('never lets a key stand that did not pass, and never changes a set without a passing new key', () => {
    const outcome = fc.constantFrom<Criterion | undefined>(
      undefined,
      'faithfulness',
      'specificity',
      'separation',
    );
    fc.assert(
      fc.property(
        fc.array(outcome, { maxLength: 2 }),
        fc.array(outcome, { maxLength: 5 }),
        (keptFails, newFails) => {
          const kept = keptFails.map((_, i) => key(`old ${i + 1}`));
          const fresh = newFails.map((_, i) => key(`new ${i + 1}`));
          const verdicts = [
            ...keptFails.map((failed, i) => verdict(`old ${i + 1}`, false, failed)),
            ...newFails.map((failed, i) => verdict(`new ${i + 1}`, true, failed)),
          ];
          const decision = gate(current, kept, fresh, verdicts);
          const anyNew = newFails.some((failed) => failed === undefined);
          expect(decision.accepted).toBe(anyNew);
          const passing = verdicts.filter((v) => v.passed).map((v) => v.text);
          expect(texts(decision.generated)).toEqual(anyNew ? passing : ['old 1', 'old 2']);
        },
      ),
    );
  });
});
