import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fitPrompt } from '../../../src/backbone/fit-prompt.ts';
import type { Message } from '../../../src/backbone/types.ts';

/** One token per word and one per message. */
const measure = (messages: readonly Message[]) =>
  messages.reduce((sum, { content }) => sum + 1 + content.split(/\s+/).filter(Boolean).length, 0);

function promptOf(before: string, document: string, after: string): Message[] {
  const start = before.length;
  return [
    { role: 'system', content: 'Be brief.' },
    {
      role: 'user',
      content: before + document + after,
      cuttable: { start, end: start + document.length },
    },
  ];
}

describe('fitting a prompt', () => {
  it('leaves one that fits as it is', async () => {
    const messages = promptOf('Text: ', 'one two three', ' Write.');
    expect(await fitPrompt(messages, 9, measure)).toEqual({ messages, tokens: 9, cut: 0 });
  });

  it('cuts the end of the document, never the instructions, and says how much', async () => {
    const fitted = await fitPrompt(promptOf('Text: ', 'one two three four', '\nWrite.'), 8, measure);
    // Cutting `t`, `h`, … of "three" brings nothing until the whole word is gone; the space before it may stay.
    expect(fitted.messages[1].content).toBe('Text: one two \nWrite.');
    expect(fitted.tokens).toBe(8);
    expect(fitted.cut).toBe('three four'.length);
  });

  it('shortens several documents to one length', async () => {
    const messages: Message[] = ['short', 'a much longer text than the other one'].map((content) => ({
      role: 'user',
      content,
      cuttable: { start: 0, end: content.length },
    }));
    const fitted = await fitPrompt(messages, 7, measure);
    expect(fitted.messages.map(({ content }) => content)).toEqual(['short', 'a much longer text ']);
  });

  it('refuses what does not fit without its document either', async () => {
    await expect(fitPrompt(promptOf('one two three', ' text', ' four'), 6, measure)).rejects.toMatchObject({
      code: 'invalid-argument',
      details: { tokens: 8, budget: 6 },
    });
    await expect(fitPrompt([{ role: 'user', content: 'a b c' }], 3, measure)).rejects.toThrow('4 tokens');
  });

  it('never halves a character', async () => {
    const measureUnits = (messages: readonly Message[]) => messages[1].content.length;
    const fitted = await fitPrompt(promptOf('', '🦄🦄🦄', ''), 3, measureUnits);
    expect(fitted.messages[1].content).toBe('🦄');
  });

  it('does not read megabytes to keep a page', async () => {
    let read = 0;
    const counting = (messages: readonly Message[]) => {
      read += messages[1].content.length;
      return measure(messages);
    };
    const fitted = await fitPrompt(promptOf('Text: ', 'word '.repeat(500_000), ' Write.'), 100, counting);
    expect(fitted.tokens).toBe(100);
    expect(read).toBeLessThan(100_000);
  });

  it('keeps as much as fits, in any prompt', async () => {
    const words = fc
      .array(fc.constantFrom('a', 'bb', 'ccc'), { maxLength: 60 })
      .map((list) => list.join(' '));
    await fc.assert(
      fc.asyncProperty(
        words,
        words,
        words,
        fc.integer({ min: 4, max: 200 }),
        async (before, document, after, budget) => {
          const messages = promptOf(`${before} `, document, ` ${after}`);
          const least = measure(promptOf(`${before} `, '', ` ${after}`));
          if (least > budget) return;
          const fitted = await fitPrompt(messages, budget, measure);
          const expected = Math.min(measure(messages), budget);
          expect(fitted.tokens).toBe(expected);
          expect(fitted.messages[1].content.startsWith(`${before} `)).toBe(true);
          expect(fitted.messages[1].content.endsWith(` ${after}`)).toBe(true);
        },
      ),
    );
  });
});
