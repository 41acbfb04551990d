import { canonicalJson, type JsonValue } from '../base/json.ts';
import type { EmbedderSpec } from './types.ts';

/** What of a spec decides the vectors, without where the model is and on what it runs: plain data, to be kept. */
export function spaceSpec(spec: EmbedderSpec): { readonly [key: string]: JsonValue } {
  if (spec.kind === 'static') return { kind: 'static', model: spec.model };
  const { model, dtype = 'q8', activations = 'fp32' } = spec;
  return { model, dtype, ...(dtype === 'q8' && { activations }) };
}

/** Whether two specs ask for one vector space. (Another file under the same name shows in the fingerprint alone.) */
export function sameSpace(a: EmbedderSpec, b: EmbedderSpec): boolean {
  return canonicalJson(spaceSpec(a)) === canonicalJson(spaceSpec(b));
}

/** A kept `spaceSpec` as a spec that loads from where `like` does, on the same device; undefined for what is none. */
export function restoreSpec(kept: unknown, like: EmbedderSpec): EmbedderSpec | undefined {
  if (typeof kept !== 'object' || kept === null) return undefined;
  const { kind, model, dtype, activations } = kept as Record<string, unknown>;
  if (typeof model !== 'string') return undefined;
  const where = { model, ...(like.base !== undefined && { base: like.base }) };
  if (kind === 'static') return { kind, ...where };
  const device = like.kind === 'static' ? undefined : like.device;
  return {
    ...where,
    ...(device && { device }),
    ...((dtype === 'fp32' || dtype === 'fp16' || dtype === 'q8') && { dtype }),
    ...((activations === 'fp32' || activations === 'int8') && { activations }),
  };
}
