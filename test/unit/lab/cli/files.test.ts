import {
  existsSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sha256Hex } from '../../../../src/base/hash.ts';
import { findCollection } from '../../../../src/lab/cli/collection-folder.ts';
import { OutputFile } from '../../../../src/lab/cli/output-file.ts';
import { VectorFiles } from '../../../../src/lab/cli/vector-files.ts';
import { packVectors, parsePackedVectors } from '../../../../src/lab/packed-vectors.ts';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'self-index-lab-'))));
afterEach(() => rmSync(folder, { recursive: true }));

const entry = (text: string, ...vector: number[]) => ({
  hash: sha256Hex(text),
  vector: Float32Array.from(vector),
});

describe('packed vectors', () => {
  it('come back as they were, also from an unaligned view', () => {
    const entries = [entry('a', 0.1, -2, 3e-9), entry('b', 1, 0, -0)];
    const shifted = new Uint8Array([7, ...packVectors(entries)]).subarray(1);
    expect(parsePackedVectors(shifted)).toEqual(entries);
    expect(parsePackedVectors(packVectors([]))).toEqual([]);
  });

  it('are refused when cut or padded', () => {
    const bytes = packVectors([entry('a', 1, 2)]);
    for (const damaged of [bytes.subarray(0, -1), new Uint8Array([...bytes, 0]), bytes.subarray(0, 3)])
      expect(() => parsePackedVectors(damaged)).toThrow(
        expect.objectContaining({ code: 'import-corrupt' }) as Error,
      );
  });
});

describe('VectorFiles', () => {
  it('keeps vectors by space for later runs', () => {
    const [a, b] = [entry('a', 1, 2), entry('b', 3, 4)];
    new VectorFiles(folder).put('space one', packVectors([a, b]));
    const later = new VectorFiles(folder);
    expect(later.get('space one', [b.hash, sha256Hex('c'), a.hash])).toEqual([b, undefined, a]);
    expect(later.get('space two', [a.hash])).toEqual([undefined]);
  });

  it('drops a damaged batch and keeps the others', () => {
    const files = new VectorFiles(folder);
    files.put('space', packVectors([entry('a', 1)]));
    const [space] = readdirSync(folder);
    const [damaged] = readdirSync(join(folder, space));
    files.put('space', packVectors([entry('b', 2)]));
    truncateSync(join(folder, space, damaged), 20);
    const later = new VectorFiles(folder);
    expect(later.get('space', [sha256Hex('a'), sha256Hex('b')])).toEqual([undefined, entry('b', 2)]);
  });
});

describe('OutputFile', () => {
  it('appears only when finished', () => {
    const path = join(folder, 'new', 'run.txt');
    const kept = new OutputFile(path);
    kept.append('a');
    kept.append('b');
    expect(existsSync(path)).toBe(false);
    kept.finish();
    kept.discard();
    expect(readFileSync(path, 'utf8')).toBe('ab');
    const dropped = new OutputFile(path);
    dropped.append('c');
    dropped.discard();
    expect(readFileSync(path, 'utf8')).toBe('ab');
    expect(readdirSync(join(folder, 'new'))).toEqual(['run.txt']);
  });
});

describe('findCollection', () => {
  it('finds plain and packed files and names what is missing', () => {
    writeFileSync(join(folder, 'corpus.jsonl'), '');
    writeFileSync(join(folder, 'queries.jsonl.gz'), '');
    expect(() => findCollection(folder)).toThrow(/qrels\.tsv, qrels\/test\.tsv/);
    writeFileSync(join(folder, 'qrels.tsv'), '');
    const found = findCollection(`${folder}/`);
    expect(folder.endsWith(found.name)).toBe(true);
    expect([found.corpus, found.queries, found.qrels]).toEqual(
      ['corpus.jsonl', 'queries.jsonl.gz', 'qrels.tsv'].map((name) => join(folder, name)),
    );
  });
});
