import { describe, expect, it } from 'vitest';
import { fitOf, sortForDevice, type DeviceFacts, type ModelNeeds } from '../../../src/models/fit-device.ts';

const laptop: DeviceFacts = { memory: 8, webgpu: true, f16: true, free: 50e9 };
const phone: DeviceFacts = { memory: 2, webgpu: false, f16: false, free: 1e9 };

const small: ModelNeeds = { id: 'small', kind: 'embedder', bytes: 23e6 };
const writer: ModelNeeds = { id: 'writer', kind: 'generator', bytes: 167e6 };
const large: ModelNeeds = { id: 'large', kind: 'webllm', bytes: 2e9, requires: ['shader-f16'] };

describe('whether a model can run on a device', () => {
  it.each([
    ['a small encoder on a phone', small, phone, 'runs', []],
    ['a large model without a GPU', large, phone, 'cannot', [/GPU/, /2\.9 GB.*about 2 GB/]],
    ['one that wants half precision', large, { ...laptop, f16: false }, 'cannot', [/half precision/]],
    ['one for which there is no room', writer, { ...laptop, free: 100e6 }, 'tight', [/until this tab/]],
    ['the same, kept already', { ...writer, kept: true }, { ...laptop, free: 100e6 }, 'runs', []],
    ['one that takes most of the memory', { ...writer, memory: 1.5e9 }, phone, 'tight', [/much of what/]],
    ['one larger than a device that says 8', { ...large, memory: 9e9 }, laptop, 'tight', [/much of what/]],
    ['where the browser says nothing', writer, { webgpu: false, f16: false }, 'runs', []],
  ] as const)('%s', (_, model, device, verdict, reasons) => {
    const fit = fitOf(model, device);
    expect(fit.verdict).toBe(verdict);
    expect(fit.reasons).toHaveLength(reasons.length);
    reasons.forEach((pattern, i) => expect(fit.reasons[i]).toMatch(pattern));
  });

  it('orders a catalogue: what runs first, then kinds, the lightest first', () => {
    const bigger = { ...small, id: 'bigger', bytes: 90e6 };
    const huge = { ...small, id: 'huge', bytes: 2e9 };
    const order = (device: DeviceFacts) =>
      sortForDevice([large, huge, writer, bigger, small], device).map(({ model }) => model.id);
    expect(order({ webgpu: true, f16: true })).toEqual(['small', 'bigger', 'huge', 'writer', 'large']);
    // 10 GB of memory for the huge one, 2.9 for the large one, 0.7 for the writer.
    expect(order({ ...laptop, memory: 4 })).toEqual(['small', 'bigger', 'writer', 'large', 'huge']);
    expect(order({ ...phone, memory: 1 })).toEqual(['small', 'bigger', 'writer', 'huge', 'large']);
  });
});
