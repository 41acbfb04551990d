import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makeGeneratedKey, makeOriginalKey } from '../../../src/keys/key-id.ts';
import { normaliseKeyText } from '../../../src/keys/normalise.ts';
import { resolveProposal } from '../../../src/keys/proposal.ts';
import type { KeySet, ProposedKey } from '../../../src/keys/types.ts';

describe('normaliseKeyText', () => {
  it.each([
    ['  How do I\n bake bread? ', 'how do i bake bread'],
    ['“Straße”', 'STRASSE'],
    ['ΛΕΞΕΙΣ', 'λεξεισ'],
    ['ﬁle ①', 'file 1'],
    ['全角　ＡＢＣ。', '全角 abc'],
    ['- **bold** claim!', 'bold** claim'],
  ])('makes %j and %j one', (a, b) => {
    expect(normaliseKeyText(a)).toBe(normaliseKeyText(b));
  });

  it.each([
    ['vectors in C', 'vectors in C#'],
    ['vectors in C', 'vectors in C++'],
    ['resume', 'résumé'],
    ['a rise of 5', 'a rise of 5%'],
  ])('keeps %j and %j apart', (a, b) => {
    expect(normaliseKeyText(a)).not.toBe(normaliseKeyText(b));
  });

  it('is idempotent, for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const once = normaliseKeyText(text);
        expect(normaliseKeyText(once)).toBe(once);
      }),
    );
  });
});

describe('resolveProposal', () => {
  const propose = (text: string): ProposedKey => ({ text, form: 'question' });
  const generated = (text: string) => makeGeneratedKey('d', propose(text), { by: 'reviser' });
  const [one, two, three] = ['One?', 'Two?', 'Three?'].map(generated);
  const keySet: KeySet = {
    documentId: 'd',
    original: makeOriginalKey({ id: 'd', text: 'The text.' }),
    generated: [one, two, three],
  };
  const texts = (keys: readonly { text: string }[]) => keys.map((key) => key.text);

  it('keeps what is named, in the order of the key set, and makes new keys of the rest', () => {
    const { kept, fresh } = resolveProposal(
      keySet,
      { keep: [three.id, one.id], revised: [propose('Four?')] },
      9,
    );
    expect(kept).toEqual([one, three]);
    expect(fresh).toEqual([generated('Four?')]);
  });

  it('resolves ids against the generated keys only', () => {
    const keep = [keySet.original.id, 'd\u001fnowhere', two.id];
    expect(resolveProposal(keySet, { keep, revised: [] }, 9)).toEqual({ kept: [two], fresh: [] });
  });

  it('drops duplicates of the original, of one another, and keys that say nothing', () => {
    const revised = ['the text', 'Four?', ' four! ', '', '…?', 'Five?'].map(propose);
    expect(texts(resolveProposal(keySet, { keep: [], revised }, 9).fresh)).toEqual(['Four?', 'Five?']);
  });

  it('counts a rewritten key that equals a current one as kept, never as new', () => {
    const { kept, fresh } = resolveProposal(keySet, { keep: [], revised: [propose('TWO')] }, 9);
    expect(kept).toEqual([two]);
    expect(fresh).toEqual([]);
  });

  it('enforces the budget: kept keys first', () => {
    const proposal = { keep: [one.id, two.id], revised: ['Four?', 'Five?'].map(propose) };
    expect(texts(resolveProposal(keySet, proposal, 3).fresh)).toEqual(['Four?']);
    expect(resolveProposal(keySet, proposal, 1)).toEqual({ kept: [one], fresh: [] });
    expect(resolveProposal(keySet, proposal, 0)).toEqual({ kept: [], fresh: [] });
  });

  it('writes down who proposed', () => {
    const origin = { by: 'teaching', revisionId: 'r1' } as const;
    const { fresh } = resolveProposal(keySet, { keep: [], revised: [propose('Four?')] }, 9, origin);
    expect(fresh[0].origin).toEqual({ by: 'teaching', revisionId: 'r1', form: 'question' });
  });

  it('never exceeds the limit and never repeats a key, for any proposal', () => {
    const text = fc.oneof(fc.constantFrom('One?', 'two', 'The text', 'Six', 'six.', ''), fc.string());
    fc.assert(
      fc.property(
        fc.subarray([one.id, two.id, three.id, keySet.original.id]),
        fc.array(text),
        fc.nat({ max: 10 }),
        (keep, revised, limit) => {
          const { kept, fresh } = resolveProposal(keySet, { keep, revised: revised.map(propose) }, limit);
          const all = [...kept, ...fresh];
          expect(all.length).toBeLessThanOrEqual(limit);
          const forms = [keySet.original, ...all].map((key) => normaliseKeyText(key.text));
          expect(new Set(forms).size).toBe(forms.length);
          expect(fresh.some((key) => keySet.generated.some((old) => old.id === key.id))).toBe(false);
        },
      ),
    );
  });
});
