/**
 * Offsets, in 32-bit words, of the structures that TypeScript and WebAssembly share (assembly/structs.ts). Both lists must
 * name the same fields in the same order.
 */
function words<const Names extends readonly string[]>(...names: Names) {
  const offsets = Object.fromEntries(names.map((name, index) => [name, index]));
  return { ...offsets, size: names.length } as { readonly [Name in Names[number] | 'size']: number };
}

/** Rows of one segment. */
export const segmentRows = 1024;
/** Vectors are padded with zeros to a multiple of this many coordinates. */
export const paddingUnit = 64;
/** Where a row has no document, or a list ends. */
export const none = 0xffffffff;
/** Set in a row's document where the row is a generated key. */
export const generatedBit = 0x80000000;

export const formats = { f32: 0, int8: 1, int4: 2 } as const;
/** How a batch is scored (assembly/tiles.ts). */
export const variants = { f32: 0, int16: 1, sevenBits: 2, sixBits: 3 } as const;
/** What a scan is for (assembly/scan.ts). */
export const purposes = { best: 0, ranks: 1, documents: 2 } as const;

export const segmentWords = words('vectors', 'codes', 'scales', 'sums', 'alive', 'documents', 'next');

export const queryWords = words(
  'vector',
  'fine',
  'coarse',
  'fineScale',
  'fineSum',
  'fineBound',
  'fineSlope',
  'coarseScale',
  'coarseSum',
  'coarseBound',
  'coarseSlope',
);

export const bestWords = words(
  'k',
  'capacity',
  'count',
  'trigger',
  'threshold',
  'bound',
  'slope',
  'entries',
  'query',
);

export const rankWords = words('own', 'bar', 'count', 'undecided', 'undecidedCount', 'undecidedCapacity');

export const jobWords = words(
  'dimensions',
  'padded',
  'format',
  'variant',
  'tileRows',
  'segments',
  'queryCount',
  'singly',
  'queries',
  'bests',
  'ranks',
  'admissible',
  'admissibleWords',
  'scratch',
  'kind',
  'exact',
  'norm',
  'step',
  'loss',
  'halvedLoss',
  'peak',
  'heads',
  'documentCount',
  'parts',
  'blend',
);
