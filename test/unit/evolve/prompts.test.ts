import { expect, test } from 'vitest';
import { makeMachinery } from '../../../src/evolve/machinery.ts';
import { makeRoles } from '../../../src/evolve/remote/make-roles.ts';
import { roleIds } from '../../../src/evolve/run-config.ts';
import { IndexState } from '../../../src/evolve/state.ts';
import type { RolesChoice } from '../../../src/evolve/types.ts';
import { createMemoryStore } from '../../../src/store/memory.ts';
import { kitchen } from './kitchen.ts';

/** An endpoint that nobody asks. */
const roles = 'openai:http://127.0.0.1:9/v1#some-model';

async function rolesOf(choice: RolesChoice) {
  const made = await makeRoles(choice, { answers: createMemoryStore('prompts').answers });
  return made.rolesFor(await IndexState.make(kitchen, [], 0, makeMachinery('bm25'), 'max'));
}

test('an endpoint is asked in full, without a test of it', async () => {
  const made = await rolesOf({ roles });
  expect(made.description).toContain('diagnoses, writes and searches');
  expect(made.prompts).toBeUndefined();
  expect(roleIds(made)).not.toHaveProperty('prompts');
});

test('whoever chooses the prompts gets them, and the run says so', async () => {
  const made = await rolesOf({ roles, prompts: 'compact' });
  expect(made.description).toContain('Rules diagnose');
  expect(roleIds(made)).toMatchObject({ prompts: 'compact (as you chose)' });
});

test('rules have no prompts', async () => {
  expect((await rolesOf({ roles: 'extractive', prompts: 'full' })).prompts).toBeUndefined();
});
