import { mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sha256Hex } from '../../base/hash.ts';
import { parsePackedVectors, type PackedVector } from '../packed-vectors.ts';

/**
 * Embeddings of earlier runs: a folder per vector space, a file per batch, named by its content. A file appears whole
 * or not at all (written aside, then renamed), so a killed run costs its last batch and two runs never disturb each other.
 */
export class VectorFiles {
  private readonly spaces = new Map<string, Map<string, PackedVector>>();

  constructor(private readonly folder: string) {}

  get(space: string, hashes: readonly string[]): (PackedVector | undefined)[] {
    const known = this.open(space);
    return hashes.map((hash) => known.get(hash));
  }

  /** Returns how many vectors there were. */
  put(space: string, packed: Uint8Array): number {
    const known = this.open(space);
    const entries = parsePackedVectors(packed);
    for (const entry of entries) known.set(entry.hash, entry);
    const path = join(this.pathOf(space), `${sha256Hex(packed).slice(0, 32)}.bin`);
    const aside = `${path}.${process.pid}.part`;
    writeFileSync(aside, packed);
    renameSync(aside, path);
    return entries.length;
  }

  private pathOf(space: string): string {
    return join(this.folder, sha256Hex(space).slice(0, 32));
  }

  private open(space: string): Map<string, PackedVector> {
    let known = this.spaces.get(space);
    if (known) return known;
    known = new Map();
    const path = this.pathOf(space);
    mkdirSync(path, { recursive: true });
    for (const name of readdirSync(path).filter((file) => file.endsWith('.bin'))) {
      try {
        for (const entry of parsePackedVectors(readFileSync(join(path, name)))) known.set(entry.hash, entry);
      } catch {
        rmSync(join(path, name)); // a damaged cache is only a slower run
      }
    }
    this.spaces.set(space, known);
    return known;
  }
}
