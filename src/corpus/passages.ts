import type { Block, Outline, Section } from './outline.ts';
import { PassageIds, slugOf } from './passage-ids.ts';
import { sentenceRanges } from './sentences.ts';
import { trimmed } from './text-edges.ts';
import type { Document, Range } from './types.ts';

export interface PassageOptions {
  /** Wanted length of a passage in UTF-16 units; default 1,000: about what a small embedder reads (256 tokens). */
  readonly target?: number;
  /** Last modification, milliseconds since 1970. */
  readonly modified?: number;
}

/** A section up to this many targets long is one passage. */
const tolerance = 1.5;
/** A block of code is parted only beyond this many targets. */
const codeTolerance = 8;
/** Below this share of the wanted length, what is left at the end is no passage of its own. */
const remnant = 0.25;
const separator = ' › ';

/**
 * The passages of a note or page: one per section where it is short enough, else several of about equal length, parted
 * between blocks, then between sentences (or lines of a table). Every passage is a stretch of the outline's text; its title
 * is the path of headings to it, its id the name and the heading's slug.
 */
export function passagesOf(name: string, outline: Outline, options: PassageOptions = {}): Document[] {
  const target = options.target ?? 1_000;
  const ids = new PassageIds(name);
  return outline.sections.flatMap((section, index) => {
    const { headings, anchor } = section;
    const own = headings.at(-1);
    // The note's title is its first heading: what stands below it has the note's own id.
    const isTitle = own === undefined || (headings.length === 1 && own === outline.title);
    const id = ids.section(isTitle ? '' : (anchor ?? slugOf(own)));
    const titled = outline.title === undefined || outline.title === headings[0];
    const path = titled ? headings : [outline.title, ...headings];
    return rangesOf(section, outline, index, target).map(({ start, end }, part) => ({
      id: ids.part(id, part),
      text: outline.text.slice(start, end),
      ...(path.length > 0 && { title: path.join(separator) }),
      ...(outline.metadata && { metadata: outline.metadata }),
      source: {
        name,
        ...(headings.length > 0 && { headings }),
        start,
        end,
        ...(options.modified !== undefined && { modified: options.modified }),
      },
    }));
  });
}

function rangesOf(section: Section, outline: Outline, index: number, target: number): Range[] {
  if (section.blocks.length === 0) {
    // A heading with nothing below it is a passage of its own; one with subsections is in their titles.
    const next = outline.sections[index + 1];
    const parent = next !== undefined && next.headings.length > section.headings.length;
    return parent || !section.heading ? [] : [section.heading];
  }
  return pack(section.blocks, outline.text, target);
}

/** Blocks joined to ranges of about equal length, near the target. */
function pack(blocks: readonly Block[], text: string, target: number): Range[] {
  const length = blocks[blocks.length - 1].end - blocks[0].start;
  if (length <= target * tolerance)
    return cleaned(text, [{ start: blocks[0].start, end: blocks[blocks.length - 1].end }]);
  const pieces = blocks.flatMap((block) => splitBlock(block, text, target));
  const aim = length / Math.ceil(length / target);
  const ranges: { start: number; end: number }[] = [];
  for (const { start, end } of pieces) {
    const open = ranges.at(-1);
    // Joined where that brings the passage nearer to its aim.
    if (open && end - open.start - aim < aim - (open.end - open.start)) open.end = end;
    else ranges.push({ start, end });
  }
  return cleaned(text, withoutRemnant(ranges, aim));
}

/** A short rest at the end goes with the passage before it. */
function withoutRemnant(ranges: readonly Range[], aim: number): readonly Range[] {
  const last = ranges.at(-1);
  const before = ranges.at(-2);
  if (!last || !before || last.end - last.start >= aim * remnant) return ranges;
  return [...ranges.slice(0, -2), { start: before.start, end: last.end }];
}

function cleaned(text: string, ranges: readonly Range[]): Range[] {
  return ranges.map(({ start, end }) => trimmed(text, start, end)).filter(({ start, end }) => end > start);
}

function splitBlock(block: Block, text: string, target: number): readonly Range[] {
  const length = block.end - block.start;
  if (length <= target * (block.kind === 'code' ? codeTolerance : tolerance)) return [block];
  const body = text.slice(block.start, block.end);
  const pieces = block.kind === 'prose' ? sentenceRanges(body) : lineRanges(body);
  return pieces.map(({ start, end }) => ({ start: block.start + start, end: block.start + end }));
}

function lineRanges(text: string): Range[] {
  return [...text.matchAll(/[^\n]+/g)].map(({ 0: line, index }) => ({
    start: index,
    end: index + line.length,
  }));
}
