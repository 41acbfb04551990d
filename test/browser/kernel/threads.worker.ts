/** Runs the cases it is sent on a kernel with threads, in a worker, where waiting may block. */
import { startCrew } from '../../../src/kernel/browser/crew.ts';
import { createMemory, kernelModule, openMachine } from '../../../src/kernel/machine.ts';
import { createReferenceKernel } from '../../../src/kernel/reference.ts';
import { WasmKernel } from '../../../src/kernel/wasm-kernel.ts';
import { answers, firstDifference, type Case } from '../../unit/kernel/cases.ts';

onmessage = async (event: MessageEvent<Case>) => {
  const test = event.data;
  const memory = createMemory(true);
  const machine = await openMachine('base', memory);
  const module = await kernelModule('base', true);
  if (!machine || !module) throw new Error('WebAssembly SIMD is missing.');
  const crew = await startCrew(module, memory, 0, 0);
  const kernel = new WasmKernel(machine, test.dimensions, {
    format: 'int8',
    variant: 'int16',
    crewFrom: 1,
    callCrew: (control) => startCrew(module, memory, control, 2),
  });
  kernel.add(new Float32Array(test.dimensions).fill(0.5));
  while (kernel.helpers === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  const reference = createReferenceKernel(test.dimensions);
  reference.add(new Float32Array(test.dimensions).fill(0.5));
  const difference = firstDifference(answers(kernel, test), answers(reference, test));
  postMessage({ difference, helpers: kernel.helpers, none: crew === undefined });
};
