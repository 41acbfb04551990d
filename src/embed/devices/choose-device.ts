import { isAbort, messageOf, SelfIndexError } from '../../base/errors.ts';
import type { Machine } from '../browser/machine.ts';
import { spaceOf } from '../cached-embedder.ts';
import type { DeviceChoice, DeviceReport, Embedder, EncoderSpec, RefusedDevice } from '../types.ts';
import { cpuCandidates, deviceName, fallbacks, gpuRefusal, plainCpu, sameDevice } from './candidates.ts';
import { memoryKey, type DeviceMemory, type KnownDevices } from './device-memory.ts';
import { compareVectors } from './parity.ts';
import { probeTexts } from './probe-texts.ts';
import { bySpeed, timeEmbedder, type Timed } from './race.ts';

export interface DeviceParts {
  readonly machine: Machine;
  /** Loads the model there, apart from every other that is open; disposing of it frees all that it took. */
  open(choice: DeviceChoice, signal?: AbortSignal): Promise<Embedder>;
  readonly memory: DeviceMemory;
  /** Milliseconds. */
  readonly clock: () => number;
}

export interface Chosen {
  readonly embedder: Embedder;
  readonly report: DeviceReport;
  /** Where to go from there, nearest first. */
  readonly fallbacks: readonly DeviceChoice[];
}

/** The model itself is at fault: no device would help. */
const faultsOfTheModel: readonly string[] = ['model-not-found', 'model-corrupt', 'invalid-argument'];

/**
 * Opens an encoder on the device that the spec names, or on the fastest. WebGPU is compared with the CPU on ten texts before it is
 * taken, with the vectors of an earlier start where there are any; a device that is refused is a line of the report, and the next is tried.
 *
 * @throws SelfIndexError `device-unsupported` where a named device is refused and the CPU cannot run the model either; what opening
 *   on the CPU throws. The signal's reason after an abort. Nothing stays open then.
 */
export async function chooseDevice(
  spec: EncoderSpec,
  parts: DeviceParts,
  signal?: AbortSignal,
): Promise<Chosen> {
  const search = new DeviceSearch(spec, parts, signal);
  try {
    const chosen = await search.run();
    await search.closeAllBut(chosen.embedder);
    return chosen;
  } catch (error) {
    await search.closeAllBut(undefined);
    signal?.throwIfAborted();
    throw search.named(error);
  }
}

class DeviceSearch {
  private readonly open = new Set<Embedder>();
  private readonly refused: RefusedDevice[] = [];
  private speeds: Timed[] = [];

  constructor(
    private readonly spec: EncoderSpec,
    private readonly parts: DeviceParts,
    private readonly signal: AbortSignal | undefined,
  ) {}

  async run(): Promise<Chosen> {
    const { spec, parts } = this;
    const cpu = plainCpu(spec, parts.machine);
    if ((spec.device ?? 'wasm') === 'wasm') return this.take(await this.load(cpu), cpu, 'asked');
    const known = await parts.memory.get(memoryKey(spec, parts.machine));
    return (known && (await this.remembered(known))) ?? this.afresh(cpu);
  }

  /** What an error of the CPU means where another device was asked for. */
  named(error: unknown): unknown {
    const [first] = this.refused;
    if (this.spec.device !== 'webgpu' || !first) return error;
    return new SelfIndexError(
      'device-unsupported',
      `${first.message} The CPU does not run the model either: ${messageOf(error)}`,
      { cause: error, details: { reason: first.reason } },
    );
  }

  async closeAllBut(kept: Embedder | undefined): Promise<void> {
    for (const embedder of [...this.open]) if (embedder !== kept) await this.close(embedder);
  }

  /** With what an earlier start found out; undefined where it does not fit the model or answers nothing. */
  private async remembered(known: KnownDevices): Promise<Chosen | undefined> {
    const { spec, parts } = this;
    const wanted = spec.device === 'webgpu' ? ({ device: 'webgpu' } as const) : known.chosen;
    if (!wanted) return undefined;
    const impossible = gpuRefusal(spec, parts.machine);
    const refused = [...(impossible ? [impossible] : []), ...known.refused];
    const refusal = refused.find((each) => sameDevice(each, wanted));
    const choice = refusal ? plainCpu(spec, parts.machine) : wanted;
    let embedder: Embedder;
    try {
      embedder = await this.load(choice);
    } catch (error) {
      if (isFinal(error, this.signal)) throw error;
      // What cannot be opened as it was is looked into anew.
      return undefined;
    }
    const same = spaceOf(embedder.fingerprint) === spaceOf(known.fingerprint);
    const fault = same && choice.device === 'webgpu' && (await this.probe(embedder, known.reference));
    if (!same || fault) {
      await this.close(embedder);
      return undefined;
    }
    this.refused.push(...refused);
    this.speeds = [...known.speeds];
    const how = refusal ? 'next' : spec.device === 'auto' ? 'remembered' : 'asked';
    return this.take(embedder, choice, how);
  }

  private async afresh(cpu: DeviceChoice): Promise<Chosen> {
    const { spec, parts } = this;
    const race = spec.device === 'auto';
    const impossible = gpuRefusal(spec, parts.machine);
    if (impossible) this.refused.push(impossible);

    const first = await this.load(cpu);
    const { fingerprint } = first;
    const reference = await first.embed(probeTexts, 'passage', { signal: this.signal });
    let best = { embedder: first, choice: cpu };
    const prefer = async (embedder: Embedder, choice: DeviceChoice) => {
      const loser = best.embedder;
      best = { embedder, choice };
      await this.close(loser);
    };

    if (race) {
      await this.faster(first, cpu);
      for (const other of cpuCandidates(spec, parts.machine).slice(1))
        await this.attempt(other, async () => {
          const embedder = await this.load(other);
          await ((await this.faster(embedder, other)) ? prefer(embedder, other) : this.close(embedder));
        });
    }
    if (!impossible) {
      const gpu: DeviceChoice = { device: 'webgpu' };
      await this.attempt(gpu, async () => {
        const embedder = await this.load(gpu);
        // What is slower will not be taken, so what it computes does not matter.
        if (race && !(await this.faster(embedder, gpu))) return this.close(embedder);
        const fault = await this.probe(embedder, reference);
        if (!fault) return prefer(embedder, gpu);
        this.refused.push(fault);
        this.speeds = this.speeds.filter(({ device }) => device !== 'webgpu');
        await this.close(embedder);
      });
    }
    await this.remember({ fingerprint, reference, ...(race && { chosen: best.choice }) });
    return this.take(best.embedder, best.choice, race ? 'raced' : this.refused.length > 0 ? 'next' : 'asked');
  }

  private async remember(found: Pick<KnownDevices, 'fingerprint' | 'reference' | 'chosen'>): Promise<void> {
    const { spec, parts, speeds } = this;
    // A failure may be of the moment; wrong numbers are not.
    const refused = this.refused.filter(({ reason }) => reason === 'differs');
    await parts.memory.put(memoryKey(spec, parts.machine), { ...found, refused, speeds });
  }

  /** Times it, and says whether it is faster than all before. */
  private async faster(embedder: Embedder, choice: DeviceChoice): Promise<boolean> {
    const toBeat = this.speeds[0]?.textsPerSecond ?? 0;
    const textsPerSecond = await timeEmbedder(embedder, this.parts.clock, toBeat, this.signal);
    this.speeds = bySpeed([...this.speeds, { ...choice, textsPerSecond }]);
    return textsPerSecond > toBeat;
  }

  private async probe(embedder: Embedder, reference: Float32Array): Promise<RefusedDevice | undefined> {
    const vectors = await embedder.embed(probeTexts, 'passage', { signal: this.signal });
    const { ok, leastCosine, fault } = compareVectors(vectors, reference, embedder.dimensions);
    if (ok) return undefined;
    return {
      device: 'webgpu',
      reason: 'differs',
      message: `WebGPU ${fault}. It is not used.`,
      ...(Number.isFinite(leastCosine) && { leastCosine }),
    };
  }

  /** What goes wrong on a device is a reason not to take it; an abort, or a fault of the model, goes through. */
  private async attempt(choice: DeviceChoice, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (isFinal(error, this.signal)) throw error;
      this.refused.push(failedDevice(choice, error));
    }
  }

  private async load(choice: DeviceChoice): Promise<Embedder> {
    this.signal?.throwIfAborted();
    const embedder = await this.parts.open(choice, this.signal);
    this.open.add(embedder);
    return embedder;
  }

  private async close(embedder: Embedder): Promise<void> {
    this.open.delete(embedder);
    await embedder.dispose();
  }

  private take(embedder: Embedder, choice: DeviceChoice, how: DeviceReport['how']): Chosen {
    const { refused, speeds } = this;
    const working = speeds.map(({ device, threads }) => ({ device, threads }));
    const report: DeviceReport = { ...choice, how, speeds, refused };
    return { embedder, report, fallbacks: fallbacks(choice, working) };
  }
}

/** True for what no other device would mend. */
export function isFinal(error: unknown, signal?: AbortSignal): boolean {
  return (
    signal?.aborted === true ||
    isAbort(error) ||
    (error instanceof SelfIndexError && faultsOfTheModel.includes(error.code))
  );
}

export function failedDevice(choice: DeviceChoice, error: unknown): RefusedDevice {
  const code = error instanceof SelfIndexError ? error.code : '';
  const name = deviceName(choice);
  const lost = code === 'device-lost' || code === 'worker-failed';
  return {
    ...choice,
    reason: lost ? 'lost' : 'failed',
    message: lost
      ? `The model lost ${name}: ${messageOf(error)}`
      : `The model failed on ${name}: ${messageOf(error)}`,
  };
}
