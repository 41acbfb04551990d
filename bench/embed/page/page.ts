import { wrap } from 'comlink';
import type { EncoderSpec } from '../../../src/embed/types.ts';
import { connectEmbedder } from '../../../src/embed/worker-embedder.ts';
import type { Bare } from './bare.worker.ts';

export interface EmbedBench {
  /** Starts a subject in a worker of its own and embeds one text; milliseconds until its vector is there. */
  open(name: string): Promise<number>;
  /** From nothing, in a worker of its own, until these texts and then a search have been embedded; milliseconds. */
  firstSearch(name: string, texts: readonly string[]): Promise<number>;
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

const original = { model: `${model}-fp32`, dtype: 'fp32' } as const;

interface Opened {
  readonly embed: Embed;
  readonly close: () => void;
}

const subjects: Readonly<Record<string, () => Promise<Opened>>> = {
  'ours, f32 between int8 weights': () => ours({ model, activations: 'fp32' }),
  'ours, dynamic int8': () => ours({ model, activations: 'int8' }),
  'transformers.js, q8, alone': () => bare(model, 'q8', 1),
  'transformers.js, q8, batches of 32': () => bare(model, 'q8', bareBatch),
  'ours, original weights': () => ours(original),
  'transformers.js, fp32, alone': () => bare(original.model, 'fp32', 1),
};

async function ours(spec: EncoderSpec): Promise<Opened> {
  const worker = new Worker(new URL('../../../workers/embedder.worker.ts', import.meta.url), {
    type: 'module',
  });
  const embedder = await connectEmbedder(worker, { ...spec, threads });
  return { embed: (texts) => embedder.embed(texts, 'passage'), close: () => worker.terminate() };
}

async function bare(name: string, dtype: 'q8' | 'fp32', batch: number): Promise<Opened> {
  const worker = new Worker(new URL('./bare.worker.ts', import.meta.url), { type: 'module' });
  const remote = wrap<Bare>(worker);
  await remote.load(name, dtype, threads);
  const embed: Embed = async (texts) => {
    const parts: number[] = [];
    for (let start = 0; start < texts.length; start += batch)
      parts.push(...(await remote.embed(texts.slice(start, start + batch))));
    return Float32Array.from(parts);
  };
  return { embed, close: () => worker.terminate() };
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
    const { embed } = await subjects[name]();
    await embed(['first']);
    open.set(name, embed);
    return performance.now() - start;
  },
  async firstSearch(name, texts) {
    const start = performance.now();
    const { embed, close } = await subjects[name]();
    await embed(texts);
    await embed(['what was it that was looked for']);
    const took = performance.now() - start;
    close();
    return took;
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
