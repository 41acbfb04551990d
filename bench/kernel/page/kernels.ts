import { startCrew } from '../../../src/kernel/browser/crew.ts';
import { createMemory, kernelModule, openMachine, type Machine } from '../../../src/kernel/machine.ts';
import { chooseBuild, type Choice } from '../../../src/kernel/self-test.ts';
import type { TopK } from '../../../src/kernel/types.ts';
import { WasmKernel } from '../../../src/kernel/wasm-kernel.ts';

export interface Build {
  readonly name: string;
  readonly kernel: WasmKernel;
  readonly machine: Machine;
}

export type Flavour = 'base' | 'relaxed';
export type Format = 'f32' | 'int8';

export const k = 30;

export async function build(flavour: Flavour, format: Format, dimensions: number): Promise<Build> {
  const machine = await openMachine(flavour, createMemory(false));
  if (!machine) throw new Error(`This browser does not run the ${flavour} build.`);
  const kernel = new WasmKernel(machine, dimensions, { format, variant: await variantOf(flavour) });
  return { name: `${format} ${flavour}`, kernel, machine };
}

/** A kernel with workers from its first row on. */
export async function buildThreaded(
  flavour: Flavour,
  format: Format,
  dimensions: number,
  helpers: number,
): Promise<Build> {
  const memory = createMemory(true);
  const machine = await openMachine(flavour, memory);
  const module = await kernelModule(flavour, true);
  if (!machine || !module) throw new Error(`This browser does not run the ${flavour} build.`);
  const kernel = new WasmKernel(machine, dimensions, {
    format,
    variant: await variantOf(flavour),
    crewFrom: 1,
    callCrew: (control) => startCrew(module, memory, control, helpers),
  });
  return { name: `${format} ${flavour}, ${helpers + 1} threads`, kernel, machine };
}

async function variantOf(flavour: Flavour): Promise<Choice['variant']> {
  const choice = await chooseBuild();
  return flavour === 'base' ? 'int16' : (choice?.variant ?? 'sixBits');
}

/** Adds in pieces, as a store would. */
export function fill(
  kernel: { readonly dimensions: number; add(vectors: Float32Array): number },
  vectors: Float32Array,
): void {
  const piece = 4096 * kernel.dimensions;
  for (let at = 0; at < vectors.length; at += piece) kernel.add(vectors.subarray(at, at + piece));
}

/** Mean share of the exact best k that was found. */
export function recall(found: Pick<TopK, 'k' | 'counts' | 'rows'>, exact: TopK): number {
  let hits = 0;
  let wanted = 0;
  for (let q = 0; q < exact.counts.length; q++) {
    const rows = new Set(found.rows.subarray(q * found.k, q * found.k + found.counts[q]));
    for (let i = 0; i < exact.counts[q]; i++) if (rows.has(exact.rows[q * exact.k + i])) hits++;
    wanted += exact.counts[q];
  }
  return hits / wanted;
}
