import { SelfIndexError } from '../base/errors.ts';
import { kernelBinary, type KernelFlavour } from './binaries.ts';

/** What assembly/index.ts exports. Addresses go in unsigned and come back signed. */
export interface KernelExports {
  scan(job: number, purpose: number, from: number, to: number): void;
  encode(job: number, segment: number, vectors: number, from: number, to: number, measures: number): number;
  prepare(job: number): number;
  finishBest(job: number): void;
  mergeBest(job: number, other: number): void;
  startRanks(job: number): void;
  collectDocuments(job: number, query: number, from: number, to: number): void;
  mergeParts(parts: number, other: number, from: number, to: number): void;
  describeDocument(job: number, query: number, document: number, out: number): void;
  scoreRows(job: number, rows: number, count: number, out: number): void;
  approximate(job: number, query: number, rows: number, count: number, out: number): void;
  read(from: number, bytes: number): number;
}

/** One instance of the kernel over one memory of its own. */
export interface Machine {
  readonly flavour: KernelFlavour;
  readonly memory: WebAssembly.Memory;
  readonly exports: KernelExports;
}

/** Pages of 64 KiB that a memory may grow to: as far as addresses of 32 bits reach, or less where that much is not to be had. */
const reserves = [65_536, 32_768, 16_384, 8192];

const modules = new Map<string, Promise<WebAssembly.Module | undefined>>();

/** The compiled build, or undefined where this engine does not know its instructions. */
export function kernelModule(
  flavour: KernelFlavour,
  shared: boolean,
): Promise<WebAssembly.Module | undefined> {
  const name = `${flavour}${shared ? ' shared' : ''}`;
  let module = modules.get(name);
  if (!module) {
    module = compile(flavour, shared);
    modules.set(name, module);
  }
  return module;
}

async function compile(flavour: KernelFlavour, shared: boolean): Promise<WebAssembly.Module | undefined> {
  if (typeof WebAssembly === 'undefined') return undefined;
  const binary = await kernelBinary(flavour);
  if (shared) declareShared(binary);
  return WebAssembly.validate(binary) ? WebAssembly.compile(binary) : undefined;
}

/**
 * Turns the import of a memory into that of a shared one: the code is the same, one bit of the import's limits differs.
 * The bytes before it are the import's name and kind, `env` `memory` 2, then flags: 1 = has a maximum, 2 = shared.
 */
function declareShared(binary: Uint8Array): void {
  const pattern = [3, 0x65, 0x6e, 0x76, 6, 0x6d, 0x65, 0x6d, 0x6f, 0x72, 0x79, 2, 1];
  const at = binary.findIndex((_, start) => pattern.every((byte, i) => binary[start + i] === byte));
  binary[at + pattern.length - 1] = 3;
}

/**
 * An empty memory. Some devices reserve all of its maximum at once, and refuse to where they have less.
 *
 * @throws SelfIndexError `out-of-memory`
 */
export function createMemory(shared: boolean): WebAssembly.Memory {
  let cause: unknown;
  for (const maximum of reserves) {
    try {
      return new WebAssembly.Memory({ initial: 1, maximum, shared });
    } catch (error) {
      cause = error;
    }
  }
  throw new SelfIndexError('out-of-memory', 'This device has no memory left to search vectors in.', {
    cause,
  });
}

export async function openMachine(
  flavour: KernelFlavour,
  memory: WebAssembly.Memory,
): Promise<Machine | undefined> {
  const shared = typeof SharedArrayBuffer !== 'undefined' && memory.buffer instanceof SharedArrayBuffer;
  const module = await kernelModule(flavour, shared);
  if (!module) return undefined;
  const instance = await WebAssembly.instantiate(module, { env: { memory } });
  return { flavour, memory, exports: instance.exports as unknown as KernelExports };
}
