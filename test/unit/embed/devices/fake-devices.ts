import { SelfIndexError } from '../../../../src/base/errors.ts';
import type { DeviceParts } from '../../../../src/embed/devices/choose-device.ts';
import { shortMemory } from '../../../../src/embed/devices/device-memory.ts';
import type { Machine } from '../../../../src/embed/browser/machine.ts';
import type { DeviceChoice, EmbedOptions, Embedder, Fingerprint } from '../../../../src/embed/types.ts';

export const fingerprint: Fingerprint = {
  model: 'm',
  revision: '1',
  dtype: 'fp32',
  pooling: 'mean',
  dimensions: 3,
  queryPrefix: '',
  passagePrefix: '',
  tokenizer: 't',
};

export const machine: Machine = {
  cores: 8,
  isolated: true,
  webgpu: { available: true, f16: false, adapter: 'a' },
  browser: 'b',
};

/** What a device does with one text: a vector, or what it throws. Default: length, first code unit, 1. */
export type Compute = (text: string) => readonly number[];

export const right: Compute = (text) => [text.length, text.charCodeAt(0) || 0, 1];

export interface FakeDevice {
  readonly milliseconds?: number;
  readonly compute?: Compute;
  readonly fingerprint?: Fingerprint;
  /** Thrown on opening. */
  readonly broken?: Error;
  /** Waited for before it opens. */
  readonly opens?: Promise<void>;
  /** Opens no second time. */
  readonly once?: boolean;
}

/** Devices by name (`wasm/4`, `webgpu`) whose speed and arithmetic a test decides; a clock that only they move. */
export class FakeDevices implements DeviceParts {
  readonly opened: string[] = [];
  readonly alive = new Set<string>();
  /** Texts embedded, by device. */
  readonly texts = new Map<string, string[]>();
  readonly memory = shortMemory();
  machine = machine;
  private now = 0;

  constructor(private readonly devices: Readonly<Record<string, FakeDevice>>) {}

  readonly clock = () => this.now;

  readonly open = async ({ device, threads }: DeviceChoice): Promise<Embedder> => {
    const name = device === 'webgpu' ? device : `${device}/${threads}`;
    this.opened.push(name);
    const fake = this.devices[name];
    const before = this.opened.filter((each) => each === name).length - 1;
    if (!fake || (fake.once && before > 0)) throw new SelfIndexError('model-load-failed', `no ${name}`);
    await fake.opens;
    if (fake.broken) throw fake.broken;
    this.alive.add(name);
    const compute = fake.compute ?? right;
    const mine = fake.fingerprint ?? fingerprint;
    let disposed = false;
    return {
      fingerprint: mine,
      dimensions: mine.dimensions,
      maxTokens: 10,
      embed: async (texts: readonly string[], _role: string, options: EmbedOptions = {}) => {
        const rows: number[] = [];
        for (const [i, text] of texts.entries()) {
          // As a worker does: others have their turn in between.
          await Promise.resolve();
          options.signal?.throwIfAborted();
          if (disposed) throw new SelfIndexError('worker-failed', 'The worker is gone.');
          rows.push(...compute(text));
          this.now += fake.milliseconds ?? 1;
          this.texts.set(name, [...(this.texts.get(name) ?? []), text]);
          options.onProgress?.(i + 1, texts.length);
        }
        return Float32Array.from(rows);
      },
      dispose: async () => {
        disposed = true;
        this.alive.delete(name);
      },
    };
  };
}
