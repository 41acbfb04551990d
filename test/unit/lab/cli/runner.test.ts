import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumPath } from '../../../../.ci/chromium.js';
import type { LabReport } from '../../../../src/lab/report.ts';

const top = fileURLToPath(new URL('../../../../', import.meta.url));
const collection = join(top, 'test/fixtures/beir-tiny');
const limit = 120_000;

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the lab as `npm run lab -- …` does. `onStderr` may stop it. */
function lab(args: string[], onStderr?: (text: string, kill: (signal: NodeJS.Signals) => void) => void) {
  return new Promise<Ended>((resolve) => {
    const child = spawn(process.execPath, ['--import', 'tsx', 'src/lab/cli/main.ts', ...args], { cwd: top });
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (data: Buffer) => (stdout += data.toString()));
    child.stderr.on('data', (data: Buffer) => {
      stderr += data.toString();
      onStderr?.(stderr, (signal) => child.kill(signal));
    });
    child.on('close', (code) => resolve({ code, stdout, stderr }));
  });
}

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'self-index-runner-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('lab evaluate', () => {
  it('measures a collection in a real browser and writes report and run', { timeout: limit }, async (ctx) => {
    if (chromiumPath() === undefined) ctx.skip('there is no Chromium');
    const [json, run] = [join(folder, 'report.json'), join(folder, 'run.txt')];
    const ended = await lab(['evaluate', '--collection', collection, '--json', json, '--run', run]);
    expect(ended).toMatchObject({ code: 0 });

    // Four of five answerable questions share words with the one document that answers them alone; the fifth is "zzz".
    const figures = { 'nDCG@10': 0.8, 'R@10': 0.8, 'R@100': 0.8, 'RR@10': 0.8 };
    expect(JSON.parse(readFileSync(json, 'utf8'))).toMatchObject({
      collection: 'beir-tiny',
      retriever: 'bm25',
      roles: null,
      seed: 0,
      versions: [
        {
          version: 0,
          metrics: Object.fromEntries(
            Object.entries(figures).map(([name, value]) => [name, expect.closeTo(value, 9) as number]),
          ),
          keys: 0,
          documentsWithKeys: 0,
          calls: 0,
          inputTokens: 0,
          outputTokens: 0,
          seconds: 0,
          accepted: 0,
          rejected: { faithfulness: 0, specificity: 0, separation: 0 },
          better: 0,
          worse: 0,
        },
      ],
    });
    const first = readFileSync(run, 'utf8')
      .trim()
      .split('\n')
      .map((line) => line.split(' '))
      .filter(([, , , rank]) => rank === '1');
    expect(first.map(([query, , document]) => [query, document])).toEqual([
      ['q1', 'tide'],
      ['q2', 'bike'],
      ['q3', 'tea'],
      ['q4', 'bees'],
    ]);
    expect(ended.stdout).toMatch(/^\| version \| nDCG@10 .*\n\| -+ .*\n\| 0 +\| +\.8000 /);
    expect(ended.stderr).toMatch(/^indexing: 0 of 8\n/);
  });

  it('ends cleanly on Ctrl-C: code 130, no file, no half of one', { timeout: limit }, async (ctx) => {
    if (chromiumPath() === undefined) ctx.skip('there is no Chromium');
    const large = join(folder, 'large');
    mkdirSync(large);
    const words = Array.from({ length: 40 }, (_, i) => `word${i * 7919}`).join(' ');
    writeFileSync(
      join(large, 'corpus.jsonl'),
      Array.from({ length: 40_000 }, (_, i) => `{"_id":"${i}","text":"${i} ${words}"}\n`).join(''),
    );
    writeFileSync(join(large, 'queries.jsonl'), '{"_id":"q","text":"word0"}\n');
    writeFileSync(join(large, 'qrels.tsv'), 'q\t1\t1\n');
    const out = join(folder, 'out');
    let sent = false;
    const ended = await lab(
      ['evaluate', '--collection', large, '--json', join(out, 'j.json'), '--run', join(out, 'r.txt')],
      (text, kill) => {
        if (sent || !text.includes('indexing: 0 of 40000')) return;
        sent = true;
        kill('SIGINT');
      },
    );
    expect(ended).toMatchObject({ code: 130, stdout: '' });
    expect(ended.stderr).toContain('Cancelled');
    expect(readdirSync(out)).toEqual([]);
  });

  it('says what is wrong with the collection', { timeout: limit }, async (ctx) => {
    if (chromiumPath() === undefined) ctx.skip('there is no Chromium');
    const broken = join(folder, 'broken');
    mkdirSync(broken);
    writeFileSync(join(broken, 'corpus.jsonl'), '{"_id":"a","text":"b"}\n{"_id":"a"}\n');
    writeFileSync(join(broken, 'queries.jsonl'), '{"_id":"q","text":"b"}\n');
    writeFileSync(join(broken, 'qrels.tsv'), 'q\ta\t1\n');
    const ended = await lab(['evaluate', '--collection', broken]);
    expect(ended).toMatchObject({ code: 1, stdout: '' });
    expect(ended.stderr).toContain(
      'Line 2 of the corpus file of the collection lacks the text field "text".',
    );
    expect(ended.stderr).toContain('(unreadable-file)');
  });
});

describe('lab evolve', () => {
  it('evolves from queries of a file and measures every version', { timeout: limit }, async (ctx) => {
    if (chromiumPath() === undefined) ctx.skip('there is no Chromium');
    const [json, queries] = [join(folder, 'evolved.json'), join(folder, 'learn.jsonl')];
    writeFileSync(
      queries,
      '{"_id":"l1","text":"keep vegetables in brine"}\n{"_id":"l2","text":"rope loop"}\n',
    );
    const flags = ['--roles', 'extractive', '--iterations', '2', '--seed', '7', '--queries', queries];
    const ended = await lab(['evolve', '--collection', collection, '--json', json, ...flags]);
    expect(ended).toMatchObject({ code: 0 });
    const report = JSON.parse(readFileSync(json, 'utf8')) as LabReport;
    expect(report).toMatchObject({ retriever: 'bm25', roles: 'extractive', seed: 7 });
    expect(report.versions.map(({ version }) => version)).toEqual([0, 1, 2]);
    expect(report.settings).toMatchObject({ iterations: 2, queries: 'learn.jsonl' });
    const lines = ended.stdout.trim().split('\n');
    expect(lines).toHaveLength(7);
    expect(lines[6]).toBe('Keys written by extractive, judged by rules.');
  });
});

describe('the command line', () => {
  it('shows its help', async () => {
    const ended = await lab(['--help']);
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(ended.stdout).toContain('--limit-queries');
  });

  it.each([
    [['evaluate', '--collection', collection, '--colour'], 2, /'--colour'/],
    [['evaluate', '--collection', join(top, 'absent')], 1, /holds none of .*corpus\.jsonl\.gz/],
    [['table', join(top, 'absent.json')], 1, /absent\.json is not a JSON file/],
  ])('refuses %j', async (args, code, sentence) => {
    const ended = await lab(args);
    expect(ended.stderr).toMatch(sentence);
    expect(ended).toMatchObject({ code, stdout: '' });
  });
});
