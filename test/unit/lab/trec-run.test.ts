import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { trecRunLines } from '../../../src/lab/trec-run.ts';

const scores = (lines: string) =>
  lines
    .split('\n')
    .slice(0, -1)
    .map((line) => Number(line.split(' ')[4]));

describe('trecRunLines', () => {
  it('writes one line a hit, ranks from 1', () => {
    const lines = trecRunLines(
      'q1',
      [
        { documentId: 'a', score: 2.5 },
        { documentId: 'b', score: 1 },
      ],
      'tag',
    );
    expect(lines).toBe('q1 Q0 a 1 2.5 tag\nq1 Q0 b 2 1 tag\n');
    expect(trecRunLines('q1', [], 'tag')).toBe('');
  });

  it('writes scores that fall strictly in float32, and stay where they already did', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(fc.float({ noNaN: true, noDefaultInfinity: true }), fc.integer({ min: -2, max: 2 })),
        ),
        (values) => {
          const sorted = [...values].sort((a, b) => b - a);
          const written = scores(
            trecRunLines(
              'q',
              sorted.map((score, i) => ({ documentId: `d${i}`, score })),
              'tag',
            ),
          ).map(Math.fround);
          for (let i = 1; i < written.length; i++) expect(written[i]).toBeLessThan(written[i - 1]);
          if (new Set(sorted.map((s) => s + 0)).size === sorted.length)
            expect(written).toEqual(sorted.map((s) => s + 0));
        },
      ),
    );
  });

  it.each(['', 'a b', 'a\tb', 'a\u00a0b'])('refuses the id %j', (documentId) => {
    expect(() => trecRunLines('q', [{ documentId, score: 1 }], 'tag')).toThrow(
      expect.objectContaining({ code: 'invalid-argument' }) as Error,
    );
  });
});
