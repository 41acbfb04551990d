import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { numberTable } from '../../../src/embed/static/number-table.ts';
import { readSafetensors } from '../../../src/embed/static/safetensors.ts';
import { staticEmbedder } from '../../../src/embed/static/static-embedder.ts';

const folder = new URL('../../fixtures/models/', import.meta.url);
const names = ['model.safetensors', 'tokenizer.json', 'config.json'];

const read = (path: string) => Uint8Array.from(readFileSync(new URL(path, folder)));
const filesOf = (model: string) => new Map(names.map((name) => [name, read(`${model}/${name}`)]));

interface Reference {
  readonly texts: readonly string[];
  readonly vectors: readonly (readonly number[])[];
}

/** A safetensors file of these tensors, as its format says. */
function safetensors(tensors: Record<string, { dtype: string; shape: number[]; bytes: Uint8Array }>) {
  let offset = 0;
  const header: Record<string, unknown> = {};
  for (const [name, { dtype, shape, bytes }] of Object.entries(tensors)) {
    header[name] = { dtype, shape, data_offsets: [offset, offset + bytes.length] };
    offset += bytes.length;
  }
  const head = new TextEncoder().encode(JSON.stringify(header));
  const file = new Uint8Array(8 + head.length + offset);
  new DataView(file.buffer).setBigUint64(0, BigInt(head.length), true);
  file.set(head, 8);
  let at = 8 + head.length;
  for (const { bytes } of Object.values(tensors)) {
    file.set(bytes, at);
    at += bytes.length;
  }
  return file;
}

const bytesOf = (array: ArrayBufferView) => new Uint8Array(array.buffer, array.byteOffset, array.byteLength);

describe('static embeddings', () => {
  it.each(['tiny-static', 'tiny-static-weighted'])('are those of model2vec: %s', async (model) => {
    const reference = JSON.parse(
      readFileSync(new URL(`${model}/reference.json`, folder), 'utf8'),
    ) as Reference;
    const embedder = staticEmbedder(model, filesOf(model));
    const rows = await embedder.embed(reference.texts, 'passage');
    expect(rows).toHaveLength(reference.texts.length * 8);
    // Half precision is what model2vec computes with where the table is of it; here sums are in double.
    const digits = model === 'tiny-static' ? 5 : 2;
    reference.vectors.forEach((vector, row) =>
      vector.forEach((value, d) => expect(rows[row * 8 + d], `text ${row}`).toBeCloseTo(value, digits)),
    );
  });

  it('are zeros for a text without a known token, unit vectors otherwise, and the same for query and passage', async () => {
    const embedder = staticEmbedder('tiny-static', filesOf('tiny-static'));
    const texts = ['', '字', 'cat', 'the cat'];
    const rows = await embedder.embed(texts, 'passage');
    const norms = texts.map((_, row) => Math.hypot(...rows.subarray(row * 8, row * 8 + 8)));
    expect(norms.map((norm) => Number(norm.toFixed(6)))).toEqual([0, 0, 1, 1]);
    expect(await embedder.embed(texts, 'query')).toEqual(rows);
  });

  it('say which space they live in', () => {
    const { fingerprint, maxTokens } = staticEmbedder(
      'tiny-static-weighted',
      filesOf('tiny-static-weighted'),
    );
    expect(fingerprint).toMatchObject({ kind: 'static', dtype: 'f16', dimensions: 8, pooling: 'mean' });
    expect(maxTokens).toBe(6);
    expect(staticEmbedder('tiny-static', filesOf('tiny-static')).maxTokens).toBe(512);
  });

  it('can be stopped, and tell how far they are', async () => {
    const embedder = staticEmbedder('tiny-static', filesOf('tiny-static'));
    const texts = Array.from({ length: 130 }, () => 'cat');
    const seen: number[] = [];
    await embedder.embed(texts, 'passage', { onProgress: (done) => seen.push(done) });
    expect(seen).toEqual([64, 128, 130]);
    const controller = new AbortController();
    const reason = new DOMException('enough', 'AbortError');
    const onProgress = () => controller.abort(reason);
    const call = embedder.embed(texts, 'passage', { signal: controller.signal, onProgress });
    await expect(call).rejects.toBe(reason);
  });

  it.each([
    ['is cut off', (file: Uint8Array) => file.slice(0, file.length - 4)],
    ['is not one', () => new TextEncoder().encode('{"not": "safetensors"}')],
    ['is empty', () => new Uint8Array(3)],
    ['has no table', () => safetensors({ other: { dtype: 'F32', shape: [1, 1], bytes: new Uint8Array(4) } })],
    [
      'is of a dtype that is not read',
      () => safetensors({ embeddings: { dtype: 'BF16', shape: [2, 1], bytes: new Uint8Array(4) } }),
    ],
  ])('are refused where the file %s', (_, spoil) => {
    const files = filesOf('tiny-static');
    files.set('model.safetensors', Uint8Array.from(spoil(read('tiny-static/model.safetensors'))));
    expect(() => staticEmbedder('broken', files)).toThrowError(
      expect.objectContaining({ code: 'model-corrupt' }) as Error,
    );
  });

  it('are refused where the tokenizer knows more than the table', async () => {
    const files = filesOf('tiny-static');
    const bytes = bytesOf(new Float32Array(8));
    files.set('model.safetensors', safetensors({ embeddings: { dtype: 'F32', shape: [1, 8], bytes } }));
    const embedder = staticEmbedder('small', files);
    await expect(embedder.embed(['cat'], 'query')).rejects.toMatchObject({ code: 'model-corrupt' });
  });
});

describe('the numbers of a tensor', () => {
  const table = (dtype: string, array: ArrayBufferView, shape: number[]) => {
    const tensor = readSafetensors(safetensors({ x: { dtype, shape, bytes: bytesOf(array) } })).get('x');
    if (!tensor) throw new Error('the tensor is gone');
    const { length, at } = numberTable(tensor);
    return Array.from({ length }, (_, i) => at(i));
  };

  it('are read in every type, wherever they begin in the file', () => {
    expect(table('F64', Float64Array.of(1.1, -2), [2])).toEqual([1.1, -2]);
    expect(table('I64', BigInt64Array.of(3n, -4n), [2])).toEqual([3, -4]);
    expect(table('I32', Int32Array.of(5, -6), [1, 2])).toEqual([5, -6]);
    expect(table('I8', Int8Array.of(7, -128), [2, 1])).toEqual([7, -128]);
  });

  it('in half precision are those of IEEE 754', () => {
    // 1, −2, 65504 (the largest), 2⁻²⁴ (the smallest), 2⁻¹⁴ (the smallest normal one), −0, 1/3 rounded, ∞.
    const bits = Uint16Array.of(0x3c00, 0xc000, 0x7bff, 0x0001, 0x0400, 0x8000, 0x3555, 0x7c00);
    expect(table('F16', bits, [8])).toEqual([1, -2, 65504, 2 ** -24, 2 ** -14, -0, 0.333251953125, Infinity]);
    expect(table('F16', Uint16Array.of(0x7e00), [1])).toEqual([NaN]);
  });
});
