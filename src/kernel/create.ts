import { checkDimensions } from './arguments.ts';
import { createMemory, openMachine } from './machine.ts';
import { createReferenceKernel } from './reference.ts';
import { chooseBuild } from './self-test.ts';
import type { VectorKernel } from './types.ts';
import { WasmKernel } from './wasm-kernel.ts';

export interface KernelOptions {
  /**
   * What a search reads first: `int8` codes kept beside the vectors (default: a quarter more memory, about three times as
   * fast), or the vectors alone. Results are the same, bit for bit.
   */
  readonly format?: 'f32' | 'int8';
  /** `reference`: plain TypeScript. Default `auto`: WebAssembly where it is there and its numbers are right. */
  readonly backend?: 'auto' | 'reference';
}

/** A kernel for vectors of `dimensions` coordinates, on the best that this machine has. */
export async function createKernel(dimensions: number, options: KernelOptions = {}): Promise<VectorKernel> {
  checkDimensions(dimensions);
  const choice = options.backend === 'reference' ? undefined : await chooseBuild();
  if (!choice) return createReferenceKernel(dimensions);
  const machine = await openMachine(choice.flavour, createMemory(false));
  if (!machine) return createReferenceKernel(dimensions);
  return new WasmKernel(machine, dimensions, { format: options.format ?? 'int8', variant: choice.variant });
}
