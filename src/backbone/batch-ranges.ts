/**
 * Ranges [start, end) of at most `mostRows` rows whose padded length together is at most `mostTokens` (a longer one stands
 * alone). Every batch of `mostRows` rows is split by itself, so that what a row is batched with never depends on other batches.
 */
export function inBatches(
  lengths: readonly number[],
  mostRows: number,
  mostTokens: number,
): (readonly [number, number])[] {
  const ranges: [number, number][] = [];
  let start = 0;
  let longest = 0;
  lengths.forEach((length, index) => {
    const rows = index - start + 1;
    const wider = Math.max(longest, length);
    if (index > start && (index % mostRows === 0 || rows * wider > mostTokens)) {
      ranges.push([start, index]);
      start = index;
      longest = length;
    } else longest = wider;
  });
  if (start < lengths.length) ranges.push([start, lengths.length]);
  return ranges;
}
