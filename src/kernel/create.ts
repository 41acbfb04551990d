import { SelfIndexError } from '../base/errors.ts';
import { checkDimensions } from './arguments.ts';
import { helpersHere, startCrew } from './browser/crew.ts';
import { CompactKernel } from './compact-kernel.ts';
import { createMemory, kernelModule, openMachine } from './machine.ts';
import { createReferenceKernel } from './reference.ts';
import { chooseBuild } from './self-test.ts';
import type { CompactOptions, VectorKernel } from './types.ts';
import { WasmKernel } from './wasm-kernel.ts';

export interface KernelOptions {
  /**
   * What a search reads first: `int8` codes kept beside the vectors (default: a quarter more memory, about three times as
   * fast), or the vectors alone. Results are the same, bit for bit.
   */
  readonly format?: 'f32' | 'int8';
  /** `reference`: plain TypeScript. Default `auto`: WebAssembly where it is there and its numbers are right. */
  readonly backend?: 'auto' | 'reference';
  /**
   * Workers beside the calling thread, where the page is isolated (cross-origin isolation gives shared memory). Default: one for
   * each further core. They start when there are 65,536 rows; results do not depend on them. 0 for none.
   */
  readonly threads?: number;
}

/**
 * A kernel for vectors of `dimensions` coordinates, on the best that this machine has: threads over shared memory where the page
 * is isolated, WebAssembly on this thread where it is not, plain TypeScript where there is no WebAssembly SIMD.
 */
export async function createKernel(dimensions: number, options: KernelOptions = {}): Promise<VectorKernel> {
  checkDimensions(dimensions);
  if (options.backend === 'reference') return createReferenceKernel(dimensions);
  try {
    return (await createWasmKernel(dimensions, options)) ?? createReferenceKernel(dimensions);
  } catch {
    // No room for a memory, a binary that does not arrive, a policy against compiling: slower, but it works.
    return createReferenceKernel(dimensions);
  }
}

async function createWasmKernel(
  dimensions: number,
  { format = 'int8', threads }: KernelOptions,
): Promise<WasmKernel | undefined> {
  const choice = await chooseBuild();
  if (!choice) return undefined;
  const helpers = isIsolated() ? (threads ?? helpersHere()) : 0;
  const memory = createMemory(helpers > 0);
  const machine = await openMachine(choice.flavour, memory);
  if (!machine) return undefined;
  const { variant } = choice;
  if (helpers === 0) return new WasmKernel(machine, dimensions, { format, variant });
  return new WasmKernel(machine, dimensions, {
    format,
    variant,
    callCrew: async (control) => {
      const module = await kernelModule(choice.flavour, true);
      return module && startCrew(module, memory, control, helpers);
    },
  });
}

/** A kernel whose memory holds codes alone, for collections whose vectors would not fit; see CompactKernel. */
export async function createCompactKernel(
  dimensions: number,
  options: CompactOptions,
): Promise<CompactKernel> {
  checkDimensions(dimensions);
  const choice = await chooseBuild();
  const machine = choice && (await openMachine(choice.flavour, createMemory(false)));
  if (!machine) {
    throw new SelfIndexError(
      'device-unsupported',
      'Searching codes without their vectors needs WebAssembly SIMD, which this browser lacks. Use createKernel.',
    );
  }
  return new CompactKernel(machine, dimensions, options);
}

/** Whether memory can be shared with workers here: true on isolated pages and in their workers, never in Node. */
function isIsolated(): boolean {
  return typeof Worker !== 'undefined' && globalThis.crossOriginIsolated === true;
}
