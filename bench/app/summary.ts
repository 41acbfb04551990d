import type { Span, Watched } from './watch.ts';

export interface Times {
  readonly count: number;
  readonly median: number;
  readonly p95: number;
  readonly worst: number;
}

/** What one phase of the run showed. Milliseconds. */
export interface Phase {
  readonly name: string;
  readonly seconds: number;
  readonly keyToPaint: Times;
  /** Keys that were never answered, because a later key was answered first. */
  readonly overtaken: number;
  /** Page's call until the page has its answer, which waits while the page draws. */
  readonly search: Times;
  /** Page's call until the engine has sent its answer. */
  readonly engine: Times;
  readonly longTasks: readonly number[];
  /** Those of them that met the time between a key and the frame of its results. */
  readonly longTasksWhileTyping: readonly number[];
  /** Time of the processor that the page's thread spent for one key: what other work on the machine does not change. */
  readonly cpuPerKey: number;
  /** Key events whose next frame came later than 50 ms. */
  readonly slowEvents: number;
}

export function timesOf(values: readonly number[]): Times {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
  return { count: sorted.length, median: at(0.5), p95: at(0.95), worst: sorted.at(-1) ?? 0 };
}

/** @param cpu milliseconds of the page's thread */
export function phaseOf(
  name: string,
  seconds: number,
  cpu: number,
  watched: Watched,
  engine: readonly number[],
): Phase {
  const drawn = watched.keys.flatMap(({ at, milliseconds }) =>
    milliseconds === null ? [] : [{ start: at, duration: milliseconds }],
  );
  const meets = (a: Span, b: Span) => a.start < b.start + b.duration && b.start < a.start + a.duration;
  const duration = ({ duration: value }: Span) => value;
  return {
    name,
    seconds,
    keyToPaint: timesOf(drawn.map(duration)),
    overtaken: watched.keys.length - drawn.length,
    search: timesOf(watched.searches.map(duration)),
    engine: timesOf(engine),
    longTasks: watched.longTasks.map(duration),
    longTasksWhileTyping: watched.longTasks
      .filter((task) => drawn.some((key) => meets(task, key)))
      .map(duration),
    cpuPerKey: cpu / Math.max(1, watched.keys.length),
    slowEvents: watched.events.filter((event) => event.duration > 50).length,
  };
}

export interface Report {
  readonly date: string;
  readonly chromium: string;
  readonly cores: number;
  readonly load: readonly number[];
  readonly passages: number;
  readonly importing: { readonly seconds: number; readonly longTasks: readonly number[] };
  readonly evolutionSeconds: number;
  readonly version: string;
  readonly phases: readonly Phase[];
}

/** Goals of issue 3 and of the brief of this benchmark; each with whether it was reached. */
export function goals({
  phases,
  importing,
}: Report): readonly { readonly text: string; readonly held: boolean }[] {
  const evolving = phases.filter(({ name }) => name.startsWith('evolving'));
  const every = (test: (phase: Phase) => boolean) => evolving.every(test);
  return [
    { text: 'engine p95 under 16 ms while evolving', held: every(({ engine }) => engine.p95 < 16) },
    { text: 'search p95 under 16 ms while evolving', held: every(({ search }) => search.p95 < 16) },
    {
      text: 'key to paint p95 under 50 ms while evolving',
      held: every(({ keyToPaint }) => keyToPaint.p95 < 50),
    },
    {
      text: 'no long task between a key and its results',
      held: every((phase) => phase.longTasksWhileTyping.length === 0),
    },
    {
      text: 'no task of the page above 100 ms during the import',
      held: importing.longTasks.every((task) => task <= 100),
    },
  ];
}

const ms = (value: number) => value.toFixed(1);
const tasks = (list: readonly number[]) =>
  list.length === 0 ? '0' : `${list.length} (worst ${Math.max(...list).toFixed(0)} ms)`;

/** The generated part of docs/benchmarks.md. */
export function markdown(report: Report): string {
  const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const head = [
    '',
    'keys',
    'overtaken',
    'median',
    'p95',
    'worst',
    'searches',
    'median',
    'p95',
    'worst',
    'engine median',
    'p95',
    'worst',
    'long tasks',
    'between key and results',
    'CPU a key',
  ];
  return [
    `Measured ${report.date} in headless Chromium ${report.chromium} on ${report.cores} cores, load before the run ${report.load[0].toFixed(1)}. Milliseconds; first key to paint, then search.`,
    [
      row(head),
      row(head.map((_, i) => (i === 0 ? '---' : '---:'))),
      ...report.phases.map((phase) =>
        row([
          phase.name,
          String(phase.keyToPaint.count),
          String(phase.overtaken),
          ms(phase.keyToPaint.median),
          ms(phase.keyToPaint.p95),
          ms(phase.keyToPaint.worst),
          String(phase.search.count),
          ms(phase.search.median),
          ms(phase.search.p95),
          ms(phase.search.worst),
          ms(phase.engine.median),
          ms(phase.engine.p95),
          ms(phase.engine.worst),
          tasks(phase.longTasks),
          tasks(phase.longTasksWhileTyping),
          ms(phase.cpuPerKey),
        ]),
      ),
    ].join('\n'),
    `Bringing ${report.passages.toLocaleString('en')} passages in took ${report.importing.seconds.toFixed(1)} s, tasks of the page above 50 ms meanwhile: ${tasks(report.importing.longTasks)}. The evolution took ${report.evolutionSeconds.toFixed(0)} s and ended at ${report.version}.`,
    goals(report)
      .map(({ text, held }) => `- ${held ? 'reached' : '**missed**'}: ${text}`)
      .join('\n'),
  ].join('\n\n');
}
