import { messageOf, SelfIndexError } from '../../base/errors.ts';

/** A tensor of a safetensors file; `bytes` are its own, little-endian, row-major. */
export interface StoredTensor {
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/**
 * The tensors of a safetensors file: eight bytes with the length of a JSON header, the header, the data.
 * @throws SelfIndexError `model-corrupt` for a file that is not of that form, or shorter than it says
 */
export function readSafetensors(file: Uint8Array<ArrayBuffer>): ReadonlyMap<string, StoredTensor> {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const length = file.length < 8 ? Infinity : Number(view.getBigUint64(0, true));
  if (length > file.length - 8) throw corrupt('its header is cut off');
  let header: unknown;
  try {
    header = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(file.subarray(8, 8 + length)));
  } catch (error) {
    throw corrupt(`its header is not JSON (${messageOf(error)})`);
  }
  if (typeof header !== 'object' || header === null) throw corrupt('its header holds no tensors');
  const tensors = new Map<string, StoredTensor>();
  for (const [name, entry] of Object.entries(header as Record<string, Partial<HeaderEntry>>)) {
    if (name === '__metadata__') continue;
    const { dtype, shape, data_offsets: offsets } = entry;
    if (typeof dtype !== 'string' || !isCounts(shape) || !isCounts(offsets) || offsets.length !== 2)
      throw corrupt(`tensor "${name}" is not described`);
    const [start, end] = offsets.map((offset) => 8 + length + offset);
    if (start > end || end > file.length) throw corrupt(`tensor "${name}" lies outside of the file`);
    tensors.set(name, { dtype, shape, bytes: file.subarray(start, end) });
  }
  return tensors;
}

interface HeaderEntry {
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly data_offsets: readonly number[];
}

function isCounts(value: unknown): value is readonly number[] {
  return Array.isArray(value) && value.every((each) => Number.isSafeInteger(each) && (each as number) >= 0);
}

function corrupt(why: string): SelfIndexError {
  return new SelfIndexError(
    'model-corrupt',
    `The safetensors file is damaged: ${why}. Fetch the model again.`,
  );
}
