import { wrap } from 'comlink';
import { connectEmbedder } from '../../../src/embed/worker-embedder.ts';
import type { Bare } from './bare.worker.ts';

export interface EmbedBench {
  /** Starts a subject in a worker of its own and embeds one text; milliseconds until its vector is there. */
  open(name: string): Promise<number>;
  /** Texts per second. */
  speed(name: string, texts: readonly string[]): Promise<number>;
  /** Lowest cosine between the vectors of a text alone and among `texts`. */
  steadiness(name: string, texts: readonly string[]): Promise<number>;
  vectors(name: string, texts: readonly string[]): Promise<number[]>;
}

type Embed = (texts: readonly string[]) => Promise<Float32Array>;

const model = 'all-MiniLM-L6-v2';
const threads = 1;
/** What the manual of transformers.js uses where it embeds many texts. */
const bareBatch = 32;

const subjects: Readonly<Record<string, () => Promise<Embed>>> = {
  'ours, f32 between int8 weights': () => ours('fp32'),
  'ours, dynamic int8': () => ours('int8'),
  'transformers.js, q8, alone': () => bare(1),
  'transformers.js, q8, batches of 32': () => bare(bareBatch),
};

async function ours(activations: 'fp32' | 'int8'): Promise<Embed> {
  const worker = new Worker(new URL('../../../workers/embedder.worker.ts', import.meta.url), {
    type: 'module',
  });
  const embedder = await connectEmbedder(worker, { model, activations, threads });
  return (texts) => embedder.embed(texts, 'passage');
}

async function bare(batch: number): Promise<Embed> {
  const worker = new Worker(new URL('./bare.worker.ts', import.meta.url), { type: 'module' });
  const remote = wrap<Bare>(worker);
  await remote.load(model, 'q8', threads);
  return async (texts) => {
    const parts: number[] = [];
    for (let start = 0; start < texts.length; start += batch)
      parts.push(...(await remote.embed(texts.slice(start, start + batch))));
    return Float32Array.from(parts);
  };
}

const open = new Map<string, Embed>();
const of = (name: string): Embed => {
  const embed = open.get(name);
  if (!embed) throw new Error(`${name} is not open`);
  return embed;
};

globalThis.embedBench = {
  async open(name) {
    const start = performance.now();
    const embed = await subjects[name]();
    await embed(['first']);
    open.set(name, embed);
    return performance.now() - start;
  },
  async speed(name, texts) {
    const start = performance.now();
    await of(name)(texts);
    return (1000 * texts.length) / (performance.now() - start);
  },
  async steadiness(name, texts) {
    const together = await of(name)(texts);
    let least = 1;
    for (const [row, text] of texts.entries()) {
      const alone = await of(name)([text]);
      let dot = 0;
      alone.forEach((value, i) => (dot += value * together[row * alone.length + i]));
      least = Math.min(least, dot);
    }
    return least;
  },
  async vectors(name, texts) {
    return [...(await of(name)(texts))];
  },
} satisfies EmbedBench;

declare global {
  var embedBench: EmbedBench | undefined;
}
