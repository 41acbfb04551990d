import { Arena } from './arena.ts';
import type { KernelFlavour } from './binaries.ts';
import { canonicalScore } from './canonical.ts';
import { bestWords, jobWords, purposes, queryWords, segmentWords, variants } from './layout.ts';
import { createMemory, openMachine, type Machine } from './machine.ts';
import { QueryBlock } from './query-block.ts';
import { RowStore } from './row-store.ts';

export type Variant = 'int16' | 'sevenBits' | 'sixBits';

/** The build and the way of scoring batches that are right, and fastest, on this machine. */
export interface Choice {
  readonly flavour: KernelFlavour;
  readonly variant: Variant;
}

let choice: Promise<Choice | undefined> | undefined;

/**
 * Tries builds best first and takes the first whose numbers are right, before and after the engine's optimising compiler has
 * had its turn: validating is not enough, an engine may know the instructions and get them wrong. Undefined where
 * none is right. The answer is kept.
 */
export function chooseBuild(): Promise<Choice | undefined> {
  choice ??= choose();
  return choice;
}

async function choose(): Promise<Choice | undefined> {
  for (const flavour of ['relaxed', 'base'] as const) {
    const found = await tryBuild(flavour);
    if (found) return found;
  }
  return undefined;
}

/** The choice within one build; undefined where the build is missing or wrong. */
export async function tryBuild(flavour: KernelFlavour): Promise<Choice | undefined> {
  const names: readonly Variant[] = flavour === 'base' ? ['int16'] : ['int16', 'sevenBits', 'sixBits'];
  const benches = new Map<Variant, Bench>();
  for (const variant of names) {
    const machine = await openMachine(flavour, createMemory(false));
    if (!machine) return undefined;
    benches.set(variant, new Bench(machine, variant));
  }
  const all = [...benches.values()];
  if (!all.every((bench) => bench.isRight())) return undefined;
  for (const bench of all) bench.repeat(300);
  await new Promise((resolve) => setTimeout(resolve, 5));
  if (!all.every((bench) => bench.isRight())) return undefined;
  return { flavour, variant: fastest(benches) };
}

/**
 * Where the fused dot product is one instruction, 7-bit queries take half the time of 14-bit ones; where it is several, they are no
 * faster, and 6-bit ones are there for large collections.
 */
function fastest(benches: ReadonlyMap<Variant, Bench>): Variant {
  const [plain, fused] = [benches.get('int16'), benches.get('sevenBits')];
  if (!plain || !fused) return 'int16';
  const times = { plain: Infinity, fused: Infinity };
  for (let round = 0; round < 16; round++) {
    times.plain = Math.min(times.plain, plain.time());
    times.fused = Math.min(times.fused, fused.time());
  }
  return times.fused < 0.75 * times.plain ? 'sevenBits' : 'sixBits';
}

const dimensions = 128;
const rows = 32;
/** Enough that preparing a tile weighs as little as in a real batch. */
const queries = 16;

/** A tile of rows and some queries whose codes reach every extreme, scored from their codes in plain JavaScript. */
class Bench {
  private readonly arena: Arena;
  private readonly job: number;
  private readonly block: QueryBlock;
  private readonly scratch: number;
  private readonly list: number;
  private readonly vectors = Float32Array.from({ length: rows * dimensions }, (_, i) => extreme(i));
  private readonly queries = Float32Array.from({ length: queries * dimensions }, (_, i) =>
    extreme(i * 3 + 7),
  );

  constructor(
    private readonly machine: Machine,
    private readonly variant: Variant,
  ) {
    this.arena = new Arena(machine.memory);
    const { arena } = this;
    this.job = arena.allocate(jobWords.size * 4);
    const store = new RowStore(arena, machine.exports, dimensions, 'int8', true, this.job);
    this.block = new QueryBlock(arena, machine.exports, dimensions, dimensions, this.job, false);
    this.scratch = arena.allocate(384 + rows * dimensions);
    this.list = arena.allocate(rows * 8);
    const at = this.job >>> 2;
    arena.u32[at + jobWords.variant] = variants[variant];
    arena.u32[at + jobWords.tileRows] = rows;
    arena.u32[at + jobWords.scratch] = this.scratch;
    store.add(this.vectors);
    for (let row = 0; row < rows; row++) arena.u32[(this.list >>> 2) + row] = row;
    this.block.load(this.queries, 0, queries);
  }

  /** Scores the tile again and again. */
  repeat(times: number): void {
    for (let i = 0; i < times; i++) {
      this.block.openBests(1, 8, 'rows');
      this.shutOut();
      this.machine.exports.scan(this.job, purposes.best, 0, 1);
    }
  }

  /** Milliseconds of a run long enough for coarse clocks. */
  time(): number {
    const start = performance.now();
    this.repeat(300);
    return performance.now() - start;
  }

  /** Lets no row pass: what a search does with those that do differs from index to index. */
  private shutOut(): void {
    const bests = this.arena.u32[(this.job >>> 2) + jobWords.bests] >>> 2;
    for (let q = 0; q < queries; q++) this.arena.f32[bests + q * bestWords.size + bestWords.threshold] = 3e38;
  }

  isRight(): boolean {
    this.repeat(1);
    // The scratch still holds the scores of the last two queries.
    const last = [queries - 2, queries - 1];
    return last.every((q) => this.finesAreRight(q) && this.batchIsRight(q)) && this.canonicalIsRight();
  }

  private finesAreRight(q: number): boolean {
    const out = this.list + rows * 4;
    this.machine.exports.approximate(this.job, q, this.list, rows, out);
    const query = this.fineCodes(q);
    const scale = this.queryFloat(q, 'fineScale');
    return this.everyRow((row, codes, step) => {
      const dot = codes.reduce((sum, code, i) => sum + code * query[i], 0);
      return this.arena.f32[(out >>> 2) + row] === Math.fround(Math.fround(dot) * Math.fround(step * scale));
    });
  }

  private batchIsRight(q: number): boolean {
    const at = (this.scratch >>> 2) + (q % 2) * 32;
    if (this.variant === 'int16') {
      const query = this.fineCodes(q);
      const scale = this.queryFloat(q, 'fineScale');
      return this.everyRow((row, codes, step) => {
        const dot = codes.reduce((sum, code, i) => sum + code * query[i], 0);
        return this.arena.f32[at + row] === Math.fround(Math.fround(dot) * Math.fround(step * scale));
      });
    }
    const six = this.variant === 'sixBits';
    const bytes = new Uint8Array(this.machine.memory.buffer, this.queryWord(q, 'coarse'), dimensions);
    const query = Array.from(bytes, (byte) => byte - (six ? 32 : 64));
    const scale = this.queryFloat(q, 'coarseScale');
    return this.everyRow((row, codes, step) => {
      const dot = codes.reduce((sum, code, i) => sum + (six ? 4 * (code >> 1) + 1 : code) * query[i], 0);
      const unit = six ? Math.fround(step * 0.5) : step;
      return this.arena.f32[at + row] === Math.fround(Math.fround(dot) * Math.fround(unit * scale));
    });
  }

  private canonicalIsRight(): boolean {
    const place = this.list + rows * 4;
    this.machine.exports.scoreRows(this.job, this.list, 1, place);
    const score = canonicalScore(this.queries, 0, this.vectors, 0, dimensions);
    return this.arena.f32[place >>> 2] === score;
  }

  private everyRow(check: (row: number, codes: readonly number[], step: number) => boolean): boolean {
    const segment = this.arena.u32[(this.job >>> 2) + jobWords.segments] >>> 2;
    const codes = this.arena.u32[segment + segmentWords.codes];
    const scales = this.arena.u32[segment + segmentWords.scales] >>> 2;
    for (let row = 0; row < rows; row++) {
      const bytes = new Int8Array(this.machine.memory.buffer, codes + row * dimensions, dimensions);
      if (!check(row, Array.from(bytes), this.arena.f32[scales + row])) return false;
    }
    return true;
  }

  /** int16, or 128·(h − 64) + l from blocks of sixteen h and sixteen l (assembly/dots.ts). */
  private fineCodes(q: number): number[] {
    const start = this.queryWord(q, 'fine');
    if (this.variant !== 'sevenBits') {
      return Array.from(new Int16Array(this.machine.memory.buffer, start, dimensions));
    }
    const bytes = new Uint8Array(this.machine.memory.buffer, start, 2 * dimensions);
    return Array.from({ length: dimensions }, (_, i) => {
      const at = (i >> 4) * 32 + (i & 15);
      return 128 * (bytes[at] - 64) + bytes[at + 16];
    });
  }

  private queryWord(q: number, name: keyof typeof queryWords): number {
    return this.arena.u32[this.queryAt(q) + queryWords[name]];
  }

  private queryFloat(q: number, name: keyof typeof queryWords): number {
    return this.arena.f32[this.queryAt(q) + queryWords[name]];
  }

  private queryAt(q: number): number {
    return (this.arena.u32[(this.job >>> 2) + jobWords.queries] >>> 2) + q * queryWords.size;
  }
}

/** Mostly plus and minus one, so that products pile up as high as they can, with other values strewn in. */
function extreme(i: number): number {
  const hash = Math.imul(i + 1, 0x9e3779b1) >>> 0;
  const row = Math.floor(i / dimensions);
  if (row % 4 === 0) return 1;
  if (row % 4 === 1) return -1;
  if (row % 4 === 2) return hash & 1 ? 1 : -1;
  return hash / 2 ** 31 - 1;
}
