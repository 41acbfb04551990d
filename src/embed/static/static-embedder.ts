import { Tokenizer } from '@huggingface/tokenizers';
import { messageOf, SelfIndexError } from '../../base/errors.ts';
import { sha256Hex } from '../../base/hash.ts';
import { createPacer } from '../../base/pacer.ts';
import { fetchFiles, readJson, type LoadOptions, type ModelFiles } from '../model-files.ts';
import type { EmbedOptions, Embedder, Fingerprint, StaticSpec } from '../types.ts';
import { numberTable, type NumberTable } from './number-table.ts';
import { readSafetensors } from './safetensors.ts';

const weightsFile = 'model.safetensors';
const files = {
  required: [weightsFile, 'tokenizer.json', 'config.json'],
  optional: ['tokenizer_config.json'],
};

/** As model2vec has it where the configuration is silent. */
const usualLength = 512;

/** Texts between two looks at the signal and the clock. */
const textsAtOnce = 64;

/**
 * Loads static embeddings in the format of model2vec: a table of token vectors, of which a text's vector is the mean. No runtime, no
 * batches: a text's vector depends on nothing else.
 *
 * @throws SelfIndexError as `fetchFiles`; `model-corrupt` where the files do not fit together
 */
export async function loadStaticEmbedder(spec: StaticSpec, options: LoadOptions = {}): Promise<Embedder> {
  return staticEmbedder(spec.model, await fetchFiles(spec, files, options));
}

/** As `loadStaticEmbedder`, from files in memory. */
export function staticEmbedder(model: string, all: ModelFiles): Embedder {
  const weights = all.get(weightsFile) as Uint8Array<ArrayBuffer>;
  const { dtype, dimensions, addToken } = tokenVectors(weights);
  const { ids, maxTokens } = tokenReader(all);
  const fingerprint: Fingerprint = {
    kind: 'static',
    model,
    revision: sha256Hex(weights).slice(0, 16),
    dtype,
    pooling: 'mean',
    dimensions,
    queryPrefix: '',
    passagePrefix: '',
    tokenizer: sha256Hex(all.get('tokenizer.json') as Uint8Array),
  };

  /** Unit length; zeros for a text without a known token, whose cosine to everything is then 0. */
  function vectorOf(text: string, into: Float32Array): void {
    const sum = new Float64Array(dimensions);
    for (const id of ids(text)) addToken(id, sum);
    const norm = Math.sqrt(sum.reduce((total, x) => total + x * x, 0));
    if (norm > 0) sum.forEach((x, d) => (into[d] = x / norm));
  }

  return {
    fingerprint,
    dimensions,
    maxTokens,
    async embed(texts, _role, { signal, onProgress }: EmbedOptions = {}) {
      const pacer = createPacer(signal);
      const vectors = new Float32Array(texts.length * dimensions);
      for (const [row, text] of texts.entries()) {
        if (row % textsAtOnce === 0) await pacer.pause();
        vectorOf(text, vectors.subarray(row * dimensions, (row + 1) * dimensions));
        if ((row + 1) % textsAtOnce === 0 || row === texts.length - 1) onProgress?.(row + 1, texts.length);
      }
      signal?.throwIfAborted();
      return vectors;
    },
    async dispose() {},
  };
}

/** The table, with what newer releases of model2vec add: a weight per token, and which row a token has. */
function tokenVectors(file: Uint8Array<ArrayBuffer>) {
  const tensors = readSafetensors(file);
  const table = tensors.get('embeddings') ?? tensors.get('embedding.weight');
  if (table?.shape.length !== 2) throw misfit('there is no table "embeddings" in it');
  const [rows, dimensions] = table.shape;
  const numbers = numberTable(table);
  const optional = (name: string): NumberTable | undefined => {
    const tensor = tensors.get(name);
    return tensor && numberTable(tensor);
  };
  const weights = optional('weights');
  const mapping = optional('mapping');
  return {
    dtype: table.dtype.toLowerCase(),
    dimensions,
    addToken: (id: number, sum: Float64Array): void => {
      const row = mapping ? mapping.at(id) : id;
      const weight = weights ? weights.at(id) : 1;
      if (!(row >= 0 && row < rows) || !Number.isFinite(weight))
        throw misfit(`token ${id} of the tokenizer has no vector among ${rows}`);
      for (let d = 0; d < dimensions; d++) sum[d] += weight * numbers.at(row * dimensions + d);
    },
  };
}

function tokenReader(all: ModelFiles) {
  const settings = readJson(all, 'tokenizer.json') as { model?: { unk_token?: unknown; unk_id?: unknown } };
  let tokenizer: Tokenizer;
  try {
    tokenizer = new Tokenizer(settings, readJson(all, 'tokenizer_config.json') ?? {});
  } catch (error) {
    throw misfit(`its tokenizer cannot be read (${messageOf(error)})`);
  }
  const { unk_token: unkToken, unk_id: unkId } = settings.model ?? {};
  const unknown = typeof unkToken === 'string' ? tokenizer.token_to_id(unkToken) : unkId;
  const length = readJson(all, 'config.json')?.max_length;
  // null says: whole texts.
  const maxTokens = typeof length === 'number' ? length : length === null ? Infinity : usualLength;
  const mostCharacters =
    maxTokens * medianLength([...tokenizer.get_vocab(true).keys()] as (string | undefined)[]);
  return {
    maxTokens,
    /** As model2vec: cut by characters, then by tokens, then without what is unknown. */
    ids: (text: string): number[] => {
      const cut = text.length > mostCharacters ? [...text.slice(0, 2 * mostCharacters)] : undefined;
      const read = cut ? cut.slice(0, mostCharacters).join('') : text;
      const { ids } = tokenizer.encode(read, { add_special_tokens: false });
      return (ids.length > maxTokens ? ids.slice(0, maxTokens) : ids).filter((id) => id !== unknown);
    },
  };
}

/** In characters, rounded down. Numbers between those of two tokens may have none. */
function medianLength(tokens: readonly (string | undefined)[]): number {
  const known = tokens.filter((token) => token !== undefined);
  const lengths = known.map((token) => [...token].length).sort((a, b) => a - b);
  const middle = lengths.length / 2;
  return Math.floor((lengths[Math.ceil(middle) - 1] + lengths[Math.floor(middle)]) / 2);
}

function misfit(why: string): SelfIndexError {
  return new SelfIndexError(
    'model-corrupt',
    `These are not static embeddings in the format of model2vec: ${why}. Fetch the model again.`,
  );
}
