import { isBelowFloor, reachesGoal, type Target } from './floors.ts';
import type { CompactReport } from './page/million.ts';
import type { Section } from './page/sections.ts';
import type { Circumstances, Report } from './report.ts';

export const figure = (value: number | undefined) =>
  value === undefined ? '–' : Number(value.toPrecision(3)).toString();

/** A table as Prettier would lay it out: the page is checked by it. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((_, i) => Math.max(3, ...[head, ...rows].map((row) => row[i].length)));
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, i) => cell.padEnd(widths[i])).join(' | ')} |`;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
}

const verdict = (target: Target) =>
  target.value === undefined
    ? 'not measured'
    : isBelowFloor(target)
      ? '**below the floor**'
      : reachesGoal(target)
        ? 'goal'
        : 'floor';

/** Targets for the terminal. */
export function targetLines(lines: readonly Target[]): string[] {
  return lines.map(
    (t) =>
      `${verdict(t).padEnd(22)} ${figure(t.value).padStart(8)}  goal ${t.goal}, floor ${t.floor}  ${t.name}`,
  );
}

export function targetTable(lines: readonly Target[]): string {
  return table(
    ['target', 'measured', 'goal', 'floor', 'reached'],
    lines.map((t) => [t.name, figure(t.value), String(t.goal), String(t.floor), verdict(t)]),
  );
}

/** When and where the parts of a report were measured. */
export function circumstances(reports: readonly Circumstances[]): string {
  const texts = reports.map(
    ({ date, chromium, machine, choice }) =>
      `Measured ${date} in headless Chromium ${chromium} on ${machine}; build ${choice?.flavour ?? 'none'}, batches by ${choice?.variant ?? 'none'}.`,
  );
  return [...new Set(texts), 'Milliseconds, medians of interleaved repeats.'].join('\n');
}

/** The generated part of docs/benchmarks.md about vectors, below its targets. */
export function markdown(report: Partial<Report>): string[] {
  const { search = [], operations = [], large = [], threads, compact = [] } = report;
  return [
    ...(search.length === 0
      ? []
      : [
          '### Cost as the work grows',
          'Best 30 of each query. Recall@30 against exact float32 is the lowest of the row.',
          searchTable([...search, ...large]),
        ]),
    ...(operations.length === 0 ? [] : ['### Operations', ...operations.map(timingTable)]),
    ...(threads ? ['### Threads', timingTable(threads)] : []),
    ...compactTable(compact),
    ...peerTables(report),
  ];
}

function searchTable(sections: readonly Section[]): string {
  const columns = [
    'naive JS',
    'good JS',
    'f32 base',
    'f32 relaxed',
    'int8 base',
    'int8 relaxed',
    'read f32',
    'read int8',
  ];
  return table(
    ['keys', 'dimensions', 'queries', ...columns, 'recall'],
    sections.map(({ keys, dimensions, queries, timings, recall }) => [
      ...[keys, dimensions, queries].map(String),
      ...columns.map((name) => figure(timings.find((timing) => timing.name === name)?.median)),
      Math.min(...Object.values(recall)).toFixed(3),
    ]),
  );
}

function timingTable({ keys, dimensions, timings, recall }: Section): string {
  return table(
    [`${keys} keys, ${dimensions} dimensions`, 'ms', 'recall'],
    timings.map(({ name, median }) => [name, figure(median), name in recall ? recall[name].toFixed(3) : '']),
  );
}

function compactTable(reports: readonly CompactReport[]): string[] {
  if (reports.length === 0) return [];
  return [
    '### Codes alone in memory',
    'One query; the vectors of candidates are read back from elsewhere in the tab. MiB of WebAssembly memory.',
    table(
      ['codes', 'keys', 'dimensions', 'ms', 'recall', 'proven complete', 'MiB'],
      reports.flatMap(({ keys, dimensions, timings, recall, proven, mebibytes }) =>
        timings.map(({ name, median }) => [
          name,
          String(keys),
          String(dimensions),
          figure(median),
          recall[name].toFixed(3),
          proven[name].toFixed(2),
          mebibytes[name].toFixed(0),
        ]),
      ),
    ),
  ];
}

function peerTables({ peers = [], absent = {} }: Partial<Report>): string[] {
  if (peers.length === 0) return [];
  const missing = Object.entries(absent).map(([name, reason]) => `- ${name}: ${reason}`);
  return [
    '### Peers',
    'One query, the int8 kernel on the same rows in the same run. Builds in seconds.',
    table(
      ['peer', 'keys', 'ms', 'recall', 'build', 'kernel ms', 'kernel build', 'times'],
      peers.map((p) => [
        p.peer,
        String(p.keys),
        figure(p.median),
        p.recall.toFixed(3),
        (p.build / 1000).toFixed(2),
        figure(p.ourMedian),
        (p.ourBuild / 1000).toFixed(2),
        `${figure(p.median / p.ourMedian)}×`,
      ]),
    ),
    ...(missing.length ? ['Not measured:', missing.join('\n')] : []),
  ];
}
