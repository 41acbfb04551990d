import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { createRandom } from '../../src/base/random.ts';

const data = fileURLToPath(new URL('../../../shared/data', import.meta.url));
const file = fileURLToPath(new URL('../.cache/passages.json', import.meta.url));

/** Characters of one passage. */
const length = 240;

/** Address, on the benchmark's server, of passages cut from the evaluation collections; undefined where these are absent. */
export function writePassages(count: number): string | undefined {
  if (!existsSync(data)) return undefined;
  const passages: string[] = [];
  for (const name of readdirSync(data).sort()) {
    if (name.includes('.') || name.endsWith('-zh')) continue;
    const lines = gunzipSync(readFileSync(`${data}/${name}/corpus.jsonl.gz`))
      .toString('utf8')
      .trim()
      .split('\n');
    for (const line of lines) {
      const { text } = JSON.parse(line) as { text: string };
      for (let at = 0; at + 60 < text.length; at += length) passages.push(text.slice(at, at + length));
    }
  }
  const shuffled = createRandom('passages').shuffle(passages);
  // More than there are: halves of two passages make a new one.
  for (let i = 0; shuffled.length < count; i++) {
    const half = length / 2;
    shuffled.push(
      `${passages[i % passages.length].slice(half)} ${passages[(i * 7919) % passages.length].slice(0, half)}`,
    );
  }
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify(shuffled.slice(0, count)));
  return '/.cache/passages.json';
}
