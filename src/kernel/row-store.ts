import { checkLabels, checkRows, countVectors, unusableVector } from './arguments.ts';
import { Region, type Arena } from './arena.ts';
import { formats, generatedBit, jobWords, none, paddingUnit, segmentRows, segmentWords } from './layout.ts';
import type { KernelExports } from './machine.ts';
import type { RowLabels } from './types.ts';

/** Rows that are encoded at a time where vectors do not stay. */
const stagedRows = 64;

export type RowFormat = keyof typeof formats;

/**
 * Rows in WebAssembly memory, in segments of 1,024: vectors and codes, which are alive, and the lists of rows of each
 * document. `job` is where the fields about rows of a job are written whenever they change.
 */
export class RowStore {
  length = 0;
  live = 0;
  readonly padded: number;
  /** Number of segments. */
  segments = 0;
  /** One more than the largest document number, rounded up to a multiple of four. */
  documents = 0;
  private tableCapacity = 0;
  private table = 0;
  private heads = 0;
  private headsCapacity = 0;
  private readonly measures: number;
  private readonly staging: Region;

  constructor(
    private readonly arena: Arena,
    private readonly exports: KernelExports,
    readonly dimensions: number,
    readonly format: RowFormat,
    /** Whether vectors stay in memory beside their codes. */
    readonly resident: boolean,
    /** Address of a job of which this store keeps the fields about rows. */
    private readonly job: number,
  ) {
    this.padded = Math.ceil(dimensions / paddingUnit) * paddingUnit;
    this.measures = arena.allocate(64);
    this.staging = new Region(arena);
    const { u32 } = arena;
    const at = job >>> 2;
    u32[at + jobWords.dimensions] = dimensions;
    u32[at + jobWords.padded] = this.padded;
    u32[at + jobWords.format] = formats[format];
    u32[at + jobWords.exact] = resident ? 1 : 0;
  }

  /** Appends vectors; nothing counts as added unless all of them can be. */
  add(vectors: Float32Array, labels?: RowLabels): number {
    const count = countVectors(vectors, this.dimensions, 'Vectors to add');
    if (labels) checkLabels(labels, count);
    const first = this.length;
    const { measures } = this;
    this.arena.f32.fill(0, measures >>> 2, (measures >>> 2) + 5);
    for (let done = 0; done < count;) {
      const row = first + done;
      const from = row % segmentRows;
      const most = this.resident ? segmentRows : stagedRows;
      const taken = Math.min(segmentRows - from, most, count - done);
      const segment = this.ensureSegment(Math.floor(row / segmentRows));
      const target = this.place(segment, from, vectors, done, taken);
      const bad = this.exports.encode(this.job, segment, target, from, from + taken, measures);
      if (bad >= 0) throw unusableVector(done + bad, 'Vectors to add');
      done += taken;
    }
    if (labels) this.ensureHeads(labels.documents);
    for (let i = 0; i < count; i++) this.appear(first + i, labels, i);
    this.raiseMeasures();
    this.length += count;
    this.live += count;
    return first;
  }

  remove(rows: readonly number[]): void {
    checkRows(rows, this.length);
    const { u32 } = this.arena;
    for (const row of rows) {
      const word = this.aliveWord(row);
      const bit = 1 << (row & 31);
      if (u32[word] & bit) {
        u32[word] &= ~bit;
        this.live--;
      }
    }
  }

  /** Forgets everything; what it took stays taken until the memory itself goes. */
  clear(): void {
    this.length = 0;
    this.live = 0;
    this.segments = 0;
    this.documents = 0;
  }

  isRemoved(row: number): boolean {
    return ((this.arena.u32[this.aliveWord(row)] >>> (row & 31)) & 1) === 0;
  }

  /** The first vectors, at most 1,024, without their padding; only where vectors are resident. */
  vectors(count: number): Float32Array {
    const { u32, f32 } = this.arena;
    const start = u32[(this.segmentAddress(0) >>> 2) + segmentWords.vectors] >>> 2;
    const found = new Float32Array(count * this.dimensions);
    for (let row = 0; row < count; row++) {
      const at = start + row * this.padded;
      found.set(f32.subarray(at, at + this.dimensions), row * this.dimensions);
    }
    return found;
  }

  /** Rows of a document, removed ones included. */
  rowsOf(document: number): number[] {
    const { u32 } = this.arena;
    const rows: number[] = [];
    if (document >= this.documents) return rows;
    for (let row = u32[(this.heads >>> 2) + document]; row !== none;) {
      rows.push(row);
      row = u32[this.field(row, 'next') + (row % segmentRows)];
    }
    return rows;
  }

  isGenerated(row: number): boolean {
    return (this.arena.u32[this.field(row, 'documents') + (row % segmentRows)] & generatedBit) !== 0;
  }

  /** Word index of a row's array of a segment. */
  private field(row: number, name: 'alive' | 'documents' | 'next'): number {
    const segment = this.segmentAddress(Math.floor(row / segmentRows));
    return this.arena.u32[(segment >>> 2) + segmentWords[name]] >>> 2;
  }

  private aliveWord(row: number): number {
    return this.field(row, 'alive') + ((row % segmentRows) >>> 5);
  }

  private segmentAddress(index: number): number {
    return this.table + index * segmentWords.size * 4;
  }

  private ensureSegment(index: number): number {
    if (index < this.segments) return this.segmentAddress(index);
    if (index >= this.tableCapacity) this.growTable();
    const { arena, padded, format } = this;
    const codeBytes = { f32: 0, int8: padded, int4: padded / 2 }[format];
    const coded = format !== 'f32';
    const addresses: Record<Exclude<keyof typeof segmentWords, 'size'>, number> = {
      vectors: this.resident ? arena.allocate(segmentRows * padded * 4) : 0,
      codes: coded ? arena.allocate(segmentRows * codeBytes) : 0,
      scales: arena.allocate(segmentRows * 4),
      sums: format === 'int8' ? arena.allocate(segmentRows * 4) : 0,
      alive: arena.allocate(segmentRows / 8),
      documents: arena.allocate(segmentRows * 4),
      next: arena.allocate(segmentRows * 4),
    };
    const { u32 } = arena;
    u32.fill(none, addresses.documents >>> 2, (addresses.documents >>> 2) + segmentRows);
    const at = this.segmentAddress(index) >>> 2;
    for (const name of Object.keys(addresses) as (keyof typeof addresses)[]) {
      u32[at + segmentWords[name]] = addresses[name];
    }
    this.segments = index + 1;
    return this.segmentAddress(index);
  }

  private growTable(): void {
    const capacity = Math.max(64, 2 * this.tableCapacity);
    const table = this.arena.allocate(capacity * segmentWords.size * 4);
    const { u32 } = this.arena;
    const old = this.table >>> 2;
    u32.copyWithin(table >>> 2, old, old + this.segments * segmentWords.size);
    this.table = table;
    this.tableCapacity = capacity;
    u32[(this.job >>> 2) + jobWords.segments] = table;
  }

  /** Writes vectors, padded, where they are encoded from; returns the address. */
  private place(segment: number, from: number, vectors: Float32Array, first: number, count: number): number {
    const { dimensions, padded } = this;
    const start = this.resident
      ? this.arena.u32[(segment >>> 2) + segmentWords.vectors] + from * padded * 4
      : this.staging.at(stagedRows * padded * 4);
    const { f32 } = this.arena;
    const at = start >>> 2;
    if (padded === dimensions) {
      f32.set(vectors.subarray(first * dimensions, (first + count) * dimensions), at);
      return start;
    }
    for (let i = 0; i < count; i++) {
      const vector = vectors.subarray((first + i) * dimensions, (first + i + 1) * dimensions);
      f32.set(vector, at + i * padded);
    }
    return start;
  }

  private appear(row: number, labels: RowLabels | undefined, index: number): void {
    const { u32 } = this.arena;
    u32[this.aliveWord(row)] |= 1 << (row & 31);
    if (!labels) return;
    const document = labels.documents[index];
    const place = row % segmentRows;
    u32[this.field(row, 'documents') + place] = labels.originals[index] ? document : document | generatedBit;
    const head = (this.heads >>> 2) + document;
    u32[this.field(row, 'next') + place] = u32[head];
    u32[head] = row;
  }

  private ensureHeads(documents: Uint32Array): void {
    let needed = this.documents;
    for (const document of documents) if (document >= needed) needed = document + 1;
    needed = Math.ceil(needed / 4) * 4;
    if (needed > this.headsCapacity) {
      const capacity = Math.max(needed, 2 * this.headsCapacity, 1024);
      const heads = this.arena.allocate(capacity * 4);
      const { u32 } = this.arena;
      const old = this.heads >>> 2;
      u32.copyWithin(heads >>> 2, old, old + this.documents);
      u32.fill(none, (heads >>> 2) + this.documents, (heads >>> 2) + capacity);
      this.heads = heads;
      this.headsCapacity = capacity;
    }
    this.documents = needed;
    const { u32 } = this.arena;
    u32[(this.job >>> 2) + jobWords.heads] = this.heads;
    u32[(this.job >>> 2) + jobWords.documentCount] = needed;
  }

  private raiseMeasures(): void {
    const { f32 } = this.arena;
    const job = this.job >>> 2;
    const measures = this.measures >>> 2;
    for (const [i, name] of (['norm', 'step', 'loss', 'halvedLoss', 'peak'] as const).entries()) {
      f32[job + jobWords[name]] = Math.max(f32[job + jobWords[name]], f32[measures + i]);
    }
  }
}
