import { sensibleThreads, type Machine } from '../browser/machine.ts';
import type { DeviceChoice, EncoderSpec, RefusedDevice } from '../types.ts';

/** Threads beyond which no race is run. */
const mostThreads = 8;

/** The CPU as it is used where nothing else is asked for. */
export function plainCpu(spec: EncoderSpec, machine: Machine): DeviceChoice {
  return { device: 'wasm', threads: machine.isolated ? (spec.threads ?? sensibleThreads(machine.cores)) : 1 };
}

/** How the CPU may be used: the usual number of threads first, then one, then all cores. One way alone where the caller named it. */
export function cpuCandidates(spec: EncoderSpec, machine: Machine): DeviceChoice[] {
  const usual = plainCpu(spec, machine);
  if (!machine.isolated || spec.threads !== undefined) return [usual];
  const counts = new Set([usual.threads, 1, Math.min(mostThreads, machine.cores)]);
  return [...counts].map((threads) => ({ device: 'wasm', threads }));
}

/** Why WebGPU need not be tried; undefined where it may. */
export function gpuRefusal(spec: EncoderSpec, { webgpu }: Machine): RefusedDevice | undefined {
  if (!webgpu.available)
    return {
      device: 'webgpu',
      reason: 'no-adapter',
      message: 'This browser offers no WebGPU adapter.',
    };
  if (spec.dtype === 'fp16' && !webgpu.f16)
    return {
      device: 'webgpu',
      reason: 'no-half-precision',
      message: 'The GPU does not compute in half precision (shader-f16).',
    };
  return undefined;
}

/** Where a model goes when it must leave a device: the other ways to use the CPU that are known to work, then one thread. Never back. */
export function fallbacks(chosen: DeviceChoice, working: readonly DeviceChoice[]): DeviceChoice[] {
  const last: DeviceChoice = { device: 'wasm', threads: 1 };
  const all = [...working.filter(({ device }) => device === 'wasm'), last];
  return all.filter(
    (each, i) => !sameDevice(each, chosen) && all.findIndex((other) => sameDevice(each, other)) === i,
  );
}

export function sameDevice(a: DeviceChoice, b: DeviceChoice): boolean {
  return a.device === b.device && (a.device === 'webgpu' || a.threads === b.threads);
}

/** For sentences: "WebGPU", "the CPU (2 threads)". */
export function deviceName({ device, threads }: DeviceChoice): string {
  if (device === 'webgpu') return 'WebGPU';
  return threads === undefined ? 'the CPU' : `the CPU (${threads} ${threads === 1 ? 'thread' : 'threads'})`;
}
