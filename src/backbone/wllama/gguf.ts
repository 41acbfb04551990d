import { SelfIndexError } from '../../base/errors.ts';

/** What is read of the head of a GGUF file. */
export interface GgufHead {
  readonly architecture: string;
  /** Tokens that the model was made for; undefined where the file does not say. */
  readonly contextTokens: number | undefined;
  /** All weights, counted. */
  readonly parameters: number;
  /** The weights of its last tensor begin here: a file that ends before is cut off. */
  readonly leastBytes: number;
  /** Spellings of the tokens, by id. */
  readonly tokens: readonly string[];
  /** Spellings of those that control the model: the ends and beginnings of messages. */
  readonly control: readonly string[];
}

/** What a head may take, bytes: the vocabulary is most of it, and those of today end below 20 MB. */
export const longestHead = 64 * 1024 * 1024;
const mostEntries = 1e5;
const mostItems = 1e7;
const controlKind = 3;

/**
 * Reads the head of a GGUF file of version 2 or 3 (https://github.com/ggml-org/ggml/blob/master/docs/gguf.md). llama.cpp reads it
 * again; what is needed of it here it does not hand out. The libraries for this either fetch the file themselves or read strings
 * byte by byte and trust every length.
 *
 * @throws SelfIndexError `model-corrupt` for anything that is none
 */
export function readGgufHead(bytes: Uint8Array<ArrayBuffer>, name: string): GgufHead {
  try {
    return new HeadReader(bytes).read();
  } catch (cause) {
    const why = cause instanceof Misfit ? cause.message : 'it ends in the middle of its head';
    throw new SelfIndexError('model-corrupt', `${name} is damaged: ${why}. Fetch it again.`, {
      details: { file: name },
      cause,
    });
  }
}

/** A file that is none, in words. */
class Misfit extends Error {}

const fixedSizes: Readonly<Record<number, number>> = {
  0: 1,
  1: 1,
  2: 2,
  3: 2,
  4: 4,
  5: 4,
  6: 4,
  7: 1,
  10: 8,
  11: 8,
  12: 8,
};
const [typeUint32, typeInt32, typeString, typeArray, typeUint64] = [4, 5, 8, 9, 10];

class HeadReader {
  private readonly view: DataView;
  private readonly decoder = new TextDecoder();
  private offset = 0;

  constructor(private readonly bytes: Uint8Array<ArrayBuffer>) {
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  read(): GgufHead {
    if (this.text(4) !== 'GGUF') throw new Misfit('it is not a GGUF file');
    const version = this.uint32();
    if (version !== 2 && version !== 3) throw new Misfit(`version ${version} of GGUF is not known`);
    const tensors = this.count(mostItems);
    const entries = this.count(mostEntries);
    const values = new Map<string, unknown>();
    for (let i = 0; i < entries; i++) values.set(this.string(), this.value(this.uint32(), 0));
    const { parameters, lastOffset } = this.tensors(tensors);
    const alignment = numberOf(values.get('general.alignment')) ?? 32;
    const tokens = stringsOf(values.get('tokenizer.ggml.tokens'));
    const kinds = values.get('tokenizer.ggml.token_type');
    if (tokens.length === 0) throw new Misfit('it has no vocabulary');
    const architecture = textOf(values.get('general.architecture'));
    return {
      architecture,
      contextTokens: numberOf(values.get(`${architecture}.context_length`)),
      leastBytes: Math.ceil(this.offset / alignment) * alignment + lastOffset,
      parameters,
      tokens,
      control: Array.isArray(kinds) ? tokens.filter((_, id) => kinds[id] === controlKind) : [],
    };
  }

  private tensors(count: number): { readonly parameters: number; readonly lastOffset: number } {
    let parameters = 0;
    let lastOffset = 0;
    for (let i = 0; i < count; i++) {
      this.string();
      const dimensions = this.uint32();
      if (dimensions > 8) throw new Misfit(`a tensor has ${dimensions} dimensions`);
      let size = 1;
      for (let d = 0; d < dimensions; d++) size *= this.uint64();
      parameters += size;
      this.offset += 4;
      lastOffset = Math.max(lastOffset, this.uint64());
    }
    return { parameters, lastOffset };
  }

  /** Numbers of four bytes, texts and lists of them; other values are passed over. */
  private value(type: number, depth: number): unknown {
    if (type === typeString) return this.string();
    if (type === typeUint32) return this.uint32();
    if (type === typeUint64) return this.uint64();
    if (type === typeInt32) {
      const value = this.view.getInt32(this.offset, true);
      this.offset += 4;
      return value;
    }
    if (type === typeArray) {
      if (depth > 2) throw new Misfit('its lists nest too deeply');
      const itemType = this.uint32();
      const length = this.count(mostItems);
      return Array.from({ length }, () => this.value(itemType, depth + 1));
    }
    const size = fixedSizes[type];
    if (size === undefined) throw new Misfit(`it has a value of the unknown type ${type}`);
    this.offset += size;
    return undefined;
  }

  private uint32(): number {
    const value = this.view.getUint32(this.offset, true);
    this.offset += 4;
    return value;
  }

  private uint64(): number {
    const value = Number(this.view.getBigUint64(this.offset, true));
    this.offset += 8;
    return value;
  }

  private count(most: number): number {
    const value = this.uint64();
    if (value > most) throw new Misfit(`it claims to hold a list of ${value}`);
    return value;
  }

  private string(): string {
    return this.text(this.count(this.bytes.length));
  }

  private text(length: number): string {
    const end = this.offset + length;
    if (end > this.bytes.length) throw new RangeError('beyond the end');
    const text = this.decoder.decode(this.bytes.subarray(this.offset, end));
    this.offset = end;
    return text;
  }
}

/** A number above 0. */
function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' && value > 0 ? value : undefined;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function stringsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];
}
