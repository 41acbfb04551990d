import { describe, expect, it } from 'vitest';
import { startCrew } from '../../../src/kernel/browser/crew.ts';
import { createKernel } from '../../../src/kernel/create.ts';
import type { Crew } from '../../../src/kernel/lanes.ts';
import { createMemory, kernelModule, openMachine } from '../../../src/kernel/machine.ts';
import { createReferenceKernel } from '../../../src/kernel/reference.ts';
import { WasmKernel } from '../../../src/kernel/wasm-kernel.ts';
import { answers, firstDifference, type Case } from '../../unit/kernel/cases.ts';

const test: Case = {
  seed: 3,
  dimensions: 48,
  rows: 9000,
  queries: 7,
  k: 30,
  kind: 'normalised',
  queryKind: 'normalised',
  removed: 0.1,
  filtered: true,
};

/** A kernel whose workers are there from the first row on. */
async function withCrew(
  start: (
    module: WebAssembly.Module,
    memory: WebAssembly.Memory,
    control: number,
  ) => Promise<Crew | undefined>,
): Promise<WasmKernel> {
  const memory = createMemory(true);
  const machine = await openMachine('relaxed', memory);
  const module = await kernelModule('relaxed', true);
  if (!machine || !module) throw new Error('This browser does not run the relaxed build.');
  let called: Promise<Crew | undefined> | undefined;
  const kernel = new WasmKernel(machine, test.dimensions, {
    format: 'int8',
    variant: 'sixBits',
    sixBitsFrom: 0,
    crewFrom: 1,
    patience: 200,
    callCrew: (control) => (called = start(module, memory, control)),
  });
  kernel.add(new Float32Array(test.dimensions).fill(0.5));
  await called;
  return kernel;
}

function expected(): ReturnType<typeof answers> {
  const reference = createReferenceKernel(test.dimensions);
  reference.add(new Float32Array(test.dimensions).fill(0.5));
  return answers(reference, test);
}

describe('threads', () => {
  it('have an isolated page to run in', () => {
    expect(globalThis.crossOriginIsolated).toBe(true);
  });

  it('change no answer, on a page', async () => {
    const kernel = await withCrew((module, memory, control) => startCrew(module, memory, control, 2));
    expect(kernel.helpers).toBe(2);
    expect(firstDifference(answers(kernel, test), expected())).toBeUndefined();
    expect(kernel.helpers).toBe(2);
    kernel.dispose();
    expect(kernel.helpers).toBe(0);
  });

  it('change no answer, in a worker', async () => {
    const worker = new Worker(new URL('./threads.worker.ts', import.meta.url), { type: 'module' });
    const answer = await new Promise((resolve, reject) => {
      worker.onmessage = (event) => resolve(event.data);
      worker.onerror = (event) => reject(new Error(event.message));
      worker.postMessage(test);
    });
    expect(answer).toEqual({ difference: undefined, helpers: 2, none: true });
    worker.terminate();
  });

  it('that never come back are given up, and the scan is done over', async () => {
    let dismissed = 0;
    const kernel = await withCrew(async () => ({ size: 1, dismiss: () => dismissed++ }));
    expect(kernel.helpers).toBe(1);
    expect(firstDifference(answers(kernel, test), expected())).toBeUndefined();
    expect([kernel.helpers, dismissed]).toEqual([0, 1]);
  });

  it('are not started for a few rows', async () => {
    const kernel = (await createKernel(16, { threads: 2 })) as WasmKernel;
    kernel.add(new Float32Array(1600).fill(0.25));
    expect(kernel.helpers).toBe(0);
    expect(kernel.topK(new Float32Array(16).fill(1), 2).rows).toEqual(Uint32Array.of(0, 1));
  });
});
