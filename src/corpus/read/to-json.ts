import type { JsonValue } from '../../base/json.ts';

const deepest = 8;

/** A parsed map as metadata: plain JSON, dates as ISO strings, nothing deeper than eight levels. null where it is no map. */
export function toJsonObject(value: unknown): Readonly<Record<string, JsonValue>> | null {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return null;
  const json = toJson(value, 0);
  return json !== null && typeof json === 'object' && !Array.isArray(json)
    ? (json as Record<string, JsonValue>)
    : null;
}

function toJson(value: unknown, depth: number): JsonValue {
  if (value === null || typeof value === 'boolean') return value;
  if (typeof value === 'string') return value.toWellFormed();
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value === 'bigint') return value.toString();
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (typeof value !== 'object' || depth >= deepest) return null;
  if (Array.isArray(value)) return value.map((item) => toJson(item, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key.toWellFormed(), toJson(item, depth + 1)]),
  );
}
