import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseJudgedSearches } from '../../../src/app/quality/judged.ts';
import { normaliseKeyText } from '../../../src/keys/normalise.ts';

const folder = new URL('../../../public/sample-notes/', import.meta.url);
const read = (name: string) => readFileSync(new URL(name, folder), 'utf8');
const manifest = JSON.parse(read('index.json')) as {
  judged: string;
  suggestions: string[];
  notes: { path: string }[];
};
const judged = parseJudgedSearches(read(manifest.judged));

describe('the sample notes', () => {
  it('are about 40, all there, with 30 judged searches that name notes among them', () => {
    const paths = manifest.notes.map(({ path }) => path);
    expect(paths.length).toBeGreaterThanOrEqual(40);
    for (const path of paths) expect(existsSync(new URL(path, folder)), path).toBe(true);
    expect(judged).toHaveLength(30);
    for (const { relevant } of judged) for (const note of relevant.keys()) expect(paths).toContain(note);
  });

  it('suggest no search that is judged: opening its results would teach from it', () => {
    const measured = new Set(judged.map(({ query }) => normaliseKeyText(query)));
    expect(manifest.suggestions.length).toBeGreaterThan(0);
    for (const text of manifest.suggestions) expect(measured).not.toContain(normaliseKeyText(text));
  });
});
