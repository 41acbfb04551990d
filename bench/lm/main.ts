import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { GeneratorSpec } from '../../src/backbone/generator-spec.ts';
import { openBenchPage } from '../open-page.ts';
import type { LmBench } from './page/page.ts';

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));

const model = 'SmolLM2-135M-Instruct';
const gguf = `smollm2/${model}.Q4_1.gguf`;
const subjects: readonly { readonly name: string; readonly spec: GeneratorSpec; readonly file: string }[] = [
  { name: 'transformers.js, q8', spec: { model, threads: 2 }, file: `${model}/config.json` },
  { name: 'llama.cpp, Q4_1', spec: { runtime: 'wllama', model: gguf, threads: 2 }, file: gguf },
];

const sentence =
  'The harbour of the old town was built by fishermen who needed shelter from the winter storms. ';
/** Some 180 tokens, different from their first words on: nothing of one is known from another. */
const text = (opening: string) => `${opening} ${sentence.repeat(8)}`;

/** `npm run bench -- lm`: one 135M model in the runtimes that its files are there for, two threads. */
export async function run(): Promise<number> {
  const there = subjects.filter(({ file }) =>
    ['../../public/models/', '../../../shared/models/'].some((folder) => existsSync(path(folder + file))),
  );
  for (const { name, file } of subjects.filter((subject) => !there.includes(subject)))
    console.error(`${name} is left out: ${file} is not in public/models.`);
  if (there.length === 0) return 1;
  const page = await openBenchPage<LmBench>('lm');
  try {
    const rows: Record<string, Record<string, number>> = {};
    for (const { name, spec } of there) {
      const load = await page.call('open', spec);
      await page.call('reading', text('Warm.'));
      const reading = await page.call('reading', text('First.'));
      const alone = await page.call('writing', text('Second.'), 1);
      const together = await page.call('writing', text('Third.'), 8);
      const schema = await page.call('schema', text('Fourth.'));
      const inPrompt = await page.call('abort', text('Fifth.'), 100);
      // The prompt is known by now: this one is in its answer.
      await page.call('reading', text('Sixth.'));
      const inAnswer = await page.call('abort', text('Sixth.'), 600);
      rows[name] = {
        'load, s': round(load / 1000, 1),
        'prompt tokens/s': round(reading),
        'answer tokens/s, alone': round(alone, 1),
        '8 at once': round(together, 1),
        'first answer by schema, s': round(schema.first / 1000, 1),
        'next, s': round(schema.next / 1000, 1),
        'abort told, ms': round(Math.max(inPrompt.told, inAnswer.told)),
        'ready again, ms: in a prompt': round(inPrompt.ready),
        'in an answer': round(inAnswer.ready),
      };
      await page.call('close');
      await page.renew();
    }
    console.table(rows);
    const machine = { cores: cpus().length, chromium: page.chromium };
    writeFileSync(path('result.json'), `${JSON.stringify({ ...machine, rows }, null, 2)}\n`);
    writePage(rows);
    return 0;
  } finally {
    await page.close();
  }
}

function round(value: number, digits = 0): number {
  return Number(value.toFixed(digits));
}

/** Puts the table between its marks in docs/benchmarks.md. */
function writePage(rows: Record<string, Record<string, number>>): void {
  const names = Object.keys(rows);
  const columns = Object.keys(Object.values(rows)[0]);
  const line = (cells: readonly (string | number)[]) => `| ${cells.join(' | ')} |`;
  const table = [
    line(['', ...names]),
    line(['---', ...names.map(() => '---:')]),
    ...columns.map((column) => line([column, ...names.map((name) => rows[name][column])])),
  ].join('\n');
  const file = path('../../docs/benchmarks.md');
  const marks = /(<!-- lm -->)[^]*(<!-- \/lm -->)/;
  writeFileSync(file, readFileSync(file, 'utf8').replace(marks, `$1\n\n${table}\n\n$2`));
}
