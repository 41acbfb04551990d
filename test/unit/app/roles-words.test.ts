import { describe, expect, it } from 'vitest';
import { playerInWords, roleIdsOf, sameModelInWords } from '../../../src/app/words/roles.ts';

const local = 'prompted(SmolLM2-135M-Instruct@22de0e23e5ce544a/q8/wasm)/compact';
const far = 'prompted(openai:http://localhost:11434/v1/#qwen3:4b)/full';

describe('who plays the roles, in words', () => {
  it.each([
    ['extractive', 'rules'],
    ['extractive(unwritten)', 'rules'],
    ['rules', 'rules'],
    [local, 'SmolLM2-135M-Instruct, in this browser'],
    [far, 'qwen3:4b at localhost:11434'],
    ['embedder(all-MiniLM-L6-v2@b2b334318fdc2991/q8 0.239/0.431/Infinity)', 'all-MiniLM-L6-v2, an embedder'],
  ])('%s', (id, words) => {
    expect(playerInWords(id)).toBe(words);
  });

  it('says when one model writes and judges', () => {
    const roles = { diagnoser: far, reviser: far, judge: far, simulator: far };
    expect(sameModelInWords(roles)).toMatch(/same model/);
    expect(sameModelInWords({ ...roles, judge: `combined(rules & ${far})` })).toMatch(/same model/);
    expect(sameModelInWords({ ...roles, judge: 'rules' })).toBeNull();
    expect(sameModelInWords({ ...roles, reviser: 'extractive', judge: 'rules' })).toBeNull();
    expect(roleIdsOf({ ...roles, batchSize: 8 })).toEqual(roles);
    expect(roleIdsOf({ ...roles, judge: 7 })).toBeNull();
  });
});
