import { describe, expect, it } from 'vitest';
import { ProgressLine, progressText } from '../../../../src/lab/cli/progress.ts';

describe('progress', () => {
  it('says what is going on', () => {
    expect(progressText({ step: 'indexing', done: 3, total: 9 })).toBe('indexing: 3 of 9');
    expect(progressText({ step: 'embedding', done: 64 })).toBe('embedding: 64');
    expect(
      progressText({ step: 'revise', done: 3, total: 9, calls: 12, tokens: 3400, secondsLeft: 125 }),
    ).toBe('revise: 3 of 9 (12 calls, 3,400 tokens, about 2 min left)');
    expect(progressText({ step: 'revise', done: 9, total: 9, secondsLeft: 0.2 })).toBe('revise: 9 of 9');
  });

  it('writes a line for each step and its end, few in between', () => {
    let written = '';
    let now = 0;
    const line = new ProgressLine({ write: (text) => (written += text) }, () => now);
    for (let done = 0; done <= 40; done++) {
      line.show({ step: 'a', done, total: 40 });
      now += 1000;
    }
    line.show({ step: 'b', done: 0, total: 1 });
    line.end();
    expect(written.split('\n')).toEqual([
      'a: 0 of 40',
      'a: 10 of 40',
      'a: 20 of 40',
      'a: 30 of 40',
      'a: 40 of 40',
      'b: 0 of 1',
      '',
    ]);
  });

  it('rewrites one line in a terminal', () => {
    let written = '';
    let now = 0;
    const line = new ProgressLine({ isTTY: true, write: (text) => (written += text) }, () => now);
    for (const done of [0, 1, 2]) {
      line.show({ step: 'a', done, total: 2 });
      now += 200;
    }
    line.end();
    expect(written).toBe('\r\u001b[Ka: 0 of 2\r\u001b[Ka: 1 of 2\r\u001b[Ka: 2 of 2\n');
  });
});
