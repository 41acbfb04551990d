/**
 * Calls back for each segment of a text, in order. V8 needs time proportional to the whole text for every single segment
 * (measured: 20 s for 100 KB), so the segmenter sees a short window at a time; the last segment of a window, which may go
 * on beyond it, begins the next.
 */
export function eachSegment(
  segmenter: Intl.Segmenter,
  text: string,
  visit: (start: number, end: number, isWordLike: boolean) => void,
): void {
  let size = smallWindow;
  for (let from = 0; from < text.length;) {
    const to = safeEnd(text, from + size);
    let last: Intl.SegmentData | undefined;
    for (const data of segmenter.segment(text.slice(from, to))) {
      if (last) emit(last, from, visit);
      last = data;
    }
    if (!last) return;
    if (to === text.length) emit(last, from, visit);
    else if (last.index === 0) {
      // One segment fills the window: look further.
      size *= 2;
      continue;
    }
    from = to === text.length ? to : from + last.index;
    size = smallWindow;
  }
}

const smallWindow = 256;

function emit(
  { index, segment, isWordLike }: Intl.SegmentData,
  offset: number,
  visit: (start: number, end: number, isWordLike: boolean) => void,
): void {
  visit(offset + index, offset + index + segment.length, isWordLike === true);
}

/** Not inside a surrogate pair. */
function safeEnd(text: string, end: number): number {
  if (end >= text.length) return text.length;
  return /[\udc00-\udfff]/.test(text[end]) ? end + 1 : end;
}
