import { createMemory, openMachine, type Machine } from '../../../src/kernel/machine.ts';
import { chooseBuild, type Choice } from '../../../src/kernel/self-test.ts';
import type { TopK } from '../../../src/kernel/types.ts';
import { WasmKernel } from '../../../src/kernel/wasm-kernel.ts';

export interface Build {
  readonly name: string;
  readonly kernel: WasmKernel;
  readonly machine: Machine;
}

export const k = 30;

export async function build(
  flavour: 'base' | 'relaxed',
  format: 'f32' | 'int8',
  dimensions: number,
): Promise<Build> {
  const machine = await openMachine(flavour, createMemory(false));
  if (!machine) throw new Error(`This browser does not run the ${flavour} build.`);
  const { variant } = (await choice()) ?? { variant: 'sixBits' };
  const kernel = new WasmKernel(machine, dimensions, {
    format,
    variant: flavour === 'base' ? 'int16' : variant,
  });
  return { name: `${format} ${flavour}`, kernel, machine };
}

export async function choice(): Promise<Choice | undefined> {
  return chooseBuild();
}

/** Adds in pieces, as a store would. */
export function fill(kernel: WasmKernel, vectors: Float32Array): void {
  const piece = 4096 * kernel.dimensions;
  for (let at = 0; at < vectors.length; at += piece) kernel.add(vectors.subarray(at, at + piece));
}

/** Mean share of the exact best k that was found. */
export function recall(found: TopK, exact: TopK): number {
  let hits = 0;
  let wanted = 0;
  for (let q = 0; q < exact.counts.length; q++) {
    const rows = new Set(found.rows.subarray(q * found.k, q * found.k + found.counts[q]));
    for (let i = 0; i < exact.counts[q]; i++) if (rows.has(exact.rows[q * exact.k + i])) hits++;
    wanted += exact.counts[q];
  }
  return hits / wanted;
}
