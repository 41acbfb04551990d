import { ratio, type Report } from './report.ts';

/** One line of the targets: what was measured, what was hoped for, and what must never be crossed. */
export interface Target {
  readonly name: string;
  readonly value: number | undefined;
  readonly goal: number;
  readonly floor: number;
  /** `least`: the value must be at least the floor; `most`: at most. */
  readonly sense: 'least' | 'most';
}

export function isBelowFloor({ value, floor, sense }: Target): boolean {
  if (value === undefined) return false;
  return sense === 'least' ? value < floor : value > floor;
}

export function reachesGoal({ value, goal, sense }: Target): boolean {
  return value !== undefined && (sense === 'least' ? value >= goal : value <= goal);
}

/** The goals and floors of the kernel, with what a run measured. */
export function targets(report: Partial<Report>): Target[] {
  const { search = [], large = [], threads, peers = [], bytes } = report;
  const find = (keys: number, queries: number) =>
    search.find((s) => s.keys === keys && s.queries === queries && s.dimensions === 384);
  const [one10, one100] = [find(10_000, 1), find(100_000, 1)];
  const [batch10, batch100] = [find(10_000, 128), find(100_000, 128)];
  const least = (name: string, value: number | undefined, goal: number, floor: number): Target => ({
    name,
    value,
    goal,
    floor,
    sense: 'least',
  });
  const share = (section: typeof one10, format: 'int8' | 'f32', flavour: string) =>
    ratio(section, `read ${format}`, `${format} ${flavour}`);
  const recalls = [...search, ...large, threads].flatMap((section) =>
    Object.entries(section?.recall ?? {})
      .filter(([name]) => name.startsWith('int8'))
      .map(([, value]) => value),
  );
  const slowestOf = (kind: 'exact' | 'hnsw', keys: number) => {
    const ratios = peers
      .filter((peer) => peer.kind === kind && peer.keys === keys)
      .map((peer) => peer.median / peer.ourMedian);
    return ratios.length === 0 ? undefined : Math.min(...ratios);
  };
  return [
    least('int8 scan against a plain read, 100k keys, relaxed', share(one100, 'int8', 'relaxed'), 0.75, 0.6),
    least('int8 scan against a plain read, 10k keys, relaxed', share(one10, 'int8', 'relaxed'), 0.5, 0.4),
    least('f32 scan against a plain read, 100k keys, relaxed', share(one100, 'f32', 'relaxed'), 0.75, 0.6),
    least('f32 scan against a plain read, 100k keys, base', share(one100, 'f32', 'base'), 0.6, 0.5),
    least('one f32 query against naive JS, 10k', ratio(one10, 'naive JS', 'f32 relaxed'), 9, 6),
    least('one f32 query against good JS, 10k', ratio(one10, 'good JS', 'f32 relaxed'), 4.5, 3),
    least('128 f32 queries against naive JS, 10k', ratio(batch10, 'naive JS', 'f32 relaxed'), 35, 25),
    least('128 f32 queries against good JS, 10k', ratio(batch10, 'good JS', 'f32 relaxed'), 15, 10),
    least(
      '128 queries, int8 against f32, 100k, relaxed',
      ratio(batch100, 'f32 relaxed', 'int8 relaxed'),
      2.7,
      2.2,
    ),
    least('128 queries, int8 against f32, 100k, base', ratio(batch100, 'f32 base', 'int8 base'), 1.3, 1.2),
    least('128 queries, int8 against f32, 10k, base', ratio(batch10, 'f32 base', 'int8 base'), 1.3, 1.2),
    least(
      'two threads against one, one query, 1M keys',
      ratio(threads, 'int8 relaxed, one query', 'int8 relaxed, 2 threads, one query'),
      1.8,
      1.5,
    ),
    least(
      'recall@30 of int8 with rescoring, lowest',
      recalls.length ? Math.min(...recalls) : undefined,
      1,
      0.999,
    ),
    least('slowest exact peer margin, 10k keys', slowestOf('exact', 10_000), 7, 5),
    least('slowest exact peer margin, 100k keys', slowestOf('exact', 100_000), 10, 7),
    least('slowest HNSW peer margin, 10k keys', slowestOf('hnsw', 10_000), 3, 2),
    { name: 'base build, gzip bytes', value: bytes?.base, goal: 4096, floor: 6144, sense: 'most' },
    {
      name: 'relaxed build, gzip bytes',
      value: bytes?.relaxed,
      goal: 4096,
      floor: 6144,
      sense: 'most',
    },
  ];
}
