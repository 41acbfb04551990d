import { describe, expect, it } from 'vitest';
import { restoreSpec, sameSpace, spaceSpec } from '../../../src/embed/same-space.ts';
import type { EmbedderSpec } from '../../../src/embed/types.ts';

const model = 'm';

describe('the vector space that a spec asks for', () => {
  const same: readonly (readonly [EmbedderSpec, EmbedderSpec, boolean])[] = [
    [{ model }, { model, dtype: 'q8', activations: 'fp32', kind: 'encoder' }, true],
    [{ model }, { model, device: 'auto', threads: 3, base: '/elsewhere/' }, true],
    [{ model, dtype: 'fp32' }, { model, dtype: 'fp32', activations: 'int8' }, true],
    [{ model }, { model, activations: 'int8' }, false],
    [{ model }, { model, dtype: 'fp32' }, false],
    [{ model }, { model: 'n' }, false],
    [{ model }, { kind: 'static', model }, false],
    [{ kind: 'static', model }, { kind: 'static', model, base: '/elsewhere/' }, true],
  ];
  it.each(same)('of %j and %j: the same? %s', (a, b, expected) => {
    expect(sameSpace(a, b)).toBe(expected);
    expect(sameSpace(b, a)).toBe(expected);
  });

  it('can be kept, and asked for again from where another model is loaded', () => {
    const like = { model: 'n', base: '/here/', device: 'auto' } as const;
    const specs: EmbedderSpec[] = [
      { model, dtype: 'fp32', base: '/there/' },
      { model, activations: 'int8' },
    ];
    for (const spec of specs) {
      const restored = restoreSpec(JSON.parse(JSON.stringify(spaceSpec(spec))), like);
      expect(restored && sameSpace(restored, spec)).toBe(true);
      expect(restored).toMatchObject({ base: '/here/', device: 'auto' });
    }
    expect(restoreSpec({ kind: 'static', model }, like)).toEqual({ kind: 'static', model, base: '/here/' });
  });

  it.each([[undefined], [null], ['m'], [7], [{}], [{ model: 7 }]])('is not read from %j', (kept) => {
    expect(restoreSpec(kept, { model })).toBeUndefined();
  });

  it('is read without what an import has put beside it', () => {
    const kept = { model, base: 'https://elsewhere.example/', device: 'webgpu', dtype: 'odd' };
    expect(restoreSpec(kept, { model: 'n' })).toEqual({ model });
  });
});
