import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { openBenchPage } from '../open-page.ts';
import type { EmbedBench } from './page/page.ts';

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));
const usualRepeats = 5;
const withInt8 = [
  'ours, f32 between int8 weights',
  'ours, dynamic int8',
  'transformers.js, q8, alone',
  'transformers.js, q8, batches of 32',
];
const withOriginal = ['ours, original weights', 'transformers.js, fp32, alone'];

interface Reference {
  readonly texts: readonly string[];
  readonly vectors: readonly (readonly number[])[];
}

/**
 * `npm run bench -- embed`: texts per second of the MiniLM with int8 weights beside bare transformers.js on the same file, one thread,
 * interleaved repeats in one run; time to the first vector, and to a first search; what a text's vector owes to its neighbours; cosine to the
 * original. The original weights too, where they are there. `--try` writes nothing, `--repeats N` is for the impatient.
 */
export async function run(options: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...options],
    options: { repeats: { type: 'string' }, try: { type: 'boolean', default: false } },
  });
  const repeats = Number(values.repeats ?? usualRepeats);
  const original = existsSync(path('../../public/models/all-MiniLM-L6-v2-fp32/onnx/model.onnx'));
  if (!original) console.warn('Without the original weights (CONTRIBUTING.md: "The real MiniLM in fp32").');
  const subjects = original ? [...withInt8, ...withOriginal] : withInt8;
  const reference = read<Reference>('models/all-MiniLM-L6-v2/reference.json');
  if (!reference) {
    console.error('The MiniLM and its reference vectors are looked for in ../shared/models: not there.');
    return 1;
  }
  const sizes = { short: texts('cosqa', 'queries', 48), passages: texts('med', 'corpus', 16) };
  const page = await openBenchPage<EmbedBench>('embed');
  try {
    const rows: Record<string, Record<string, number>> = {};
    for (const subject of subjects) {
      // The first opening also makes the development server transform what it serves.
      await page.call('open', subject);
      rows[subject] = { 'first vector, ms': Math.round(await page.call('open', subject)) };
      const searched: number[] = [];
      for (let repeat = 0; repeat < repeats; repeat++)
        searched.push(await page.call('firstSearch', subject, sizes.short));
      rows[subject]['48 short texts and a search, from nothing, ms'] = Math.round(median(searched));
    }
    for (const [size, given] of Object.entries(sizes)) {
      const speeds = new Map<string, number[]>(subjects.map((subject) => [subject, []]));
      for (let repeat = 0; repeat < repeats; repeat++)
        for (const subject of subjects) speeds.get(subject)?.push(await page.call('speed', subject, given));
      for (const [subject, values] of speeds) rows[subject][`${size} a second`] = round(median(values), 1);
    }
    for (const subject of subjects) {
      rows[subject]['least cosine, alone to among others'] = round(
        await page.call('steadiness', subject, [...sizes.short.slice(0, 12), ...sizes.passages.slice(0, 4)]),
        5,
      );
      const vectors = await page.call('vectors', subject, reference.texts);
      const cosines = reference.vectors.map((expected, row) =>
        expected.reduce((sum, value, i) => sum + value * vectors[row * expected.length + i], 0),
      );
      rows[subject]['least cosine to the original'] = round(Math.min(...cosines), 4);
    }
    console.table(rows);
    if (values.try) return 0;
    writeFileSync(
      path('result.json'),
      `${JSON.stringify({ chromium: page.chromium, repeats, rows }, null, 2)}\n`,
    );
    writePage(rows);
    return 0;
  } finally {
    await page.close();
  }
}

/** Puts the table between its marks in docs/benchmarks.md. */
function writePage(rows: Record<string, Record<string, number>>): void {
  const columns = Object.keys(Object.values(rows)[0]);
  const line = (cells: readonly (string | number)[]) => `| ${cells.join(' | ')} |`;
  const table = [
    line(['', ...columns]),
    line(['---', ...columns.map(() => '---:')]),
    ...Object.entries(rows).map(([name, row]) => line([name, ...columns.map((column) => row[column])])),
  ].join('\n');
  const file = path('../../docs/benchmarks.md');
  const marks = /(<!-- embed -->)[^]*(<!-- \/embed -->)/;
  writeFileSync(file, readFileSync(file, 'utf8').replace(marks, `$1\n\n${table}\n\n$2`));
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
}

function round(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}

function texts(collection: string, file: 'corpus' | 'queries', count: number): string[] {
  const lines = gunzipSync(readFileSync(path(`../../../shared/data/${collection}/${file}.jsonl.gz`)));
  const all = lines.toString('utf8').trim().split('\n');
  // Shorter than what either of them cuts.
  return all.slice(0, count).map((line) => (JSON.parse(line) as { text: string }).text.slice(0, 600));
}

function read<T>(file: string): T | undefined {
  const full = path(`../../../shared/${file}`);
  return existsSync(full) ? (JSON.parse(readFileSync(full, 'utf8')) as T) : undefined;
}
