import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { sha256Hex } from '../../src/base/hash.ts';
import { parsePackedVectors } from '../../src/lab/packed-vectors.ts';

/** Vectors of one space that the lab has kept, by the hash of their text. */
export type CachedSpace = ReadonlyMap<string, Float32Array>;

/** Every space of the lab's cache (src/lab/cli/vector-files.ts), by the name of its folder. */
export function readSpaces(folder: string): Map<string, CachedSpace> {
  const spaces = new Map<string, CachedSpace>();
  if (!existsSync(folder)) return spaces;
  for (const name of readdirSync(folder)) {
    const space = new Map<string, Float32Array>();
    for (const file of readdirSync(`${folder}/${name}`).filter((each) => each.endsWith('.bin'))) {
      for (const { hash, vector } of parsePackedVectors(readFileSync(`${folder}/${name}/${file}`)))
        space.set(hash, vector);
    }
    spaces.set(name, space);
  }
  return spaces;
}

/** Row-major vectors of texts, which were embedded without a prefix; undefined where the space lacks one. */
export function vectorsOf(texts: readonly string[], space: CachedSpace): Float32Array | undefined {
  const found = texts.map((text) => space.get(sha256Hex(text)));
  if (!found.every((vector) => vector !== undefined)) return undefined;
  const dimensions = found[0]?.length ?? 0;
  const vectors = new Float32Array(texts.length * dimensions);
  found.forEach((vector, i) => vectors.set(vector, i * dimensions));
  return vectors;
}
