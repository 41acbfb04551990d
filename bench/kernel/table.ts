import { isBelowFloor, reachesGoal, targets, type Target } from './floors.ts';
import type { Section } from './page/sections.ts';
import type { Report } from './report.ts';

const figure = (value: number | undefined) =>
  value === undefined ? '–' : Number(value.toPrecision(3)).toString();

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
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

/** The generated part of docs/benchmarks.md. */
export function markdown(report: Report): string {
  const { choice } = report;
  return [
    `Measured ${report.date} in headless Chromium ${report.chromium} on ${report.machine}; build ${choice?.flavour ?? 'none'}, batches by ${choice?.variant ?? 'none'}. Milliseconds, medians of interleaved repeats.`,
    '## Targets',
    table(
      ['', 'measured', 'goal', 'floor', ''],
      targets(report).map((t) => [t.name, figure(t.value), String(t.goal), String(t.floor), verdict(t)]),
    ),
    '## Cost as the work grows',
    'Best 30 of each query. Recall@30 against exact float32 is the lowest of the row.',
    searchTable(report.search),
    '## Operations',
    ...report.operations.map(timingTable),
    ...(report.large ? ['## A million keys', timingTable(report.large)] : []),
    ...(report.threads ? [timingTable(report.threads)] : []),
    ...compactTable(report),
    ...peerTables(report),
    ...lexicalTables(report),
  ].join('\n\n');
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

function compactTable({ compact }: Report): string[] {
  if (!compact) return [];
  const { keys, timings, recall, proven, mebibytes } = compact;
  return [
    'Codes alone in WebAssembly memory, the vectors of candidates read back from elsewhere in the tab:',
    table(
      [`${keys} keys`, 'ms', 'recall', 'proven complete', 'MiB'],
      timings.map(({ name, median }) => [
        name,
        figure(median),
        recall[name].toFixed(3),
        proven[name].toFixed(2),
        mebibytes[name].toFixed(0),
      ]),
    ),
  ];
}

function peerTables({ peers, absent }: Report): string[] {
  if (peers.length === 0) return [];
  const missing = Object.entries(absent).map(([name, reason]) => `- ${name}: ${reason}`);
  return [
    '## Peers',
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

function lexicalTables({ lexical }: Report): string[] {
  if (lexical.length === 0) return [];
  return [
    '## BM25',
    'Passages of 240 characters; queries are five words of a passage, `found` the share whose passage is among the first ten.',
    table(
      ['', 'passages', 'build ms', 'median ms', 'p95 ms', 'MB', 'found'],
      lexical.flatMap(({ passages, engines }) =>
        engines.map((e) => [
          e.name,
          String(passages),
          e.build.toFixed(0),
          figure(e.median),
          figure(e.p95),
          (e.bytes / 1e6).toFixed(2),
          e.found.toFixed(3),
        ]),
      ),
    ),
  ];
}
