import { SelfIndexError } from '../base/errors.ts';

const pageBytes = 65536;

/**
 * Hands out pieces of one WebAssembly memory, and never takes one back: what holds vectors only grows. Addresses are unsigned
 * and may exceed 2 GiB, so nothing here uses signed bit operations on them.
 */
export class Arena {
  private top: number;
  private unsigned = new Uint32Array(0);
  private floats = new Float32Array(0);

  /** `base`: address of the first byte that may be used. */
  constructor(
    readonly memory: WebAssembly.Memory,
    base = 64,
  ) {
    this.top = Math.ceil(base / 64) * 64;
  }

  /** All of the memory as 32-bit words; invalid after the next allocation. */
  get u32(): Uint32Array {
    if (this.unsigned.buffer !== this.memory.buffer) this.unsigned = new Uint32Array(this.memory.buffer);
    return this.unsigned;
  }

  get f32(): Float32Array {
    if (this.floats.buffer !== this.memory.buffer) this.floats = new Float32Array(this.memory.buffer);
    return this.floats;
  }

  /** Bytes handed out. */
  get used(): number {
    return this.top;
  }

  /** A zeroed piece on a cache line of its own. */
  allocate(bytes: number): number {
    const start = this.top;
    const end = start + Math.ceil(bytes / 64) * 64;
    const missing = end - this.memory.buffer.byteLength;
    if (missing > 0) this.grow(Math.ceil(missing / pageBytes), end);
    this.top = end;
    return start;
  }

  private grow(pages: number, wanted: number): void {
    try {
      this.memory.grow(pages);
    } catch (cause) {
      throw new SelfIndexError(
        'out-of-memory',
        `Vectors need ${Math.ceil(wanted / 2 ** 20)} MiB, more than this browser gives one page. Index fewer keys, or keep vectors out of memory (createCompactKernel).`,
        { cause, details: { bytes: wanted } },
      );
    }
  }
}

/** A piece that is replaced by a larger one when it does not suffice; its contents are then lost. */
export class Region {
  private bytes = 0;
  private start = 0;

  constructor(private readonly arena: Arena) {}

  /** Address of at least `bytes` bytes. */
  at(bytes: number): number {
    if (bytes > this.bytes) {
      this.bytes = Math.max(bytes, 2 * this.bytes);
      this.start = this.arena.allocate(this.bytes);
    }
    return this.start;
  }
}
