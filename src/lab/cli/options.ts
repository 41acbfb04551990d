import type { EmbedderSpec } from '../../embed/types.ts';
import { checkJudge, checkRoles, needsEmbedder, needsModel } from '../../evolve/judge-means.ts';
import type { EngineSpec, EvolveOptions } from '../../evolve/types.ts';
import { defaultAggregate, type Aggregate, type RetrieverKind } from '../../retrieve/types.ts';
import { parseJudgeSpec } from '../../roles/judges/spec.ts';
import { generatorPlace, parseRolesSpec } from '../../roles/spec.ts';
import type { JudgesRequest } from '../types.ts';
import { FlagReader, parseFlags, refusal, type Flags } from './flags.ts';

/** A command line, understood. */
export type LabCommand =
  | { readonly command: 'help' }
  | { readonly command: 'table'; readonly files: readonly string[] }
  | { readonly command: 'results'; readonly folder: string }
  | JudgesCommand
  | RunCommand;

export interface JudgesCommand {
  readonly command: 'judges';
  readonly collection: string;
  readonly request: JudgesRequest;
  readonly json?: string;
  readonly verbose: boolean;
}

export interface RunCommand {
  readonly command: 'evaluate' | 'evolve';
  readonly collection: string;
  readonly spec: EngineSpec;
  /** Absent for `evaluate`. */
  readonly evolve?: Omit<EvolveOptions, 'signal' | 'queries'>;
  readonly limitQueries?: number;
  readonly queries?: string;
  readonly run?: string;
  readonly json?: string;
  readonly verbose: boolean;
}

const text = { type: 'string' } as const;
const flag = { type: 'boolean' } as const;

const shared = {
  collection: text,
  retriever: text,
  embedder: text,
  dtype: text,
  activations: text,
  device: text,
  aggregate: text,
  'limit-queries': text,
  run: text,
  json: text,
  verbose: flag,
} as const;

const forJudges = {
  collection: text,
  judges: text,
  model: text,
  embedder: text,
  dtype: text,
  device: text,
  pairs: text,
  seed: text,
  json: text,
  verbose: flag,
} as const;

const forEvolve = {
  roles: text,
  prompts: text,
  judge: text,
  iterations: text,
  batch: text,
  depth: text,
  'key-budget': text,
  order: text,
  queries: text,
  minutes: text,
  calls: text,
  tokens: text,
  seed: text,
  'no-guard': flag,
  'no-expansion': flag,
  prune: flag,
  'full-verdicts': flag,
} as const;

/** @throws `invalid-argument` with a sentence for every command line that is not understood. */
export function parseCommand(args: readonly string[], environment: NodeJS.ProcessEnv = {}): LabCommand {
  const [command, ...rest] = args;
  if (command === undefined || command === 'help' || args.includes('--help') || args.includes('-h'))
    return { command: 'help' };
  if (command === 'table') return { command, files: parseFlags(rest, {}, true).positionals };
  if (command === 'results') {
    const [folder = 'docs/results', ...more] = parseFlags(rest, {}, true).positionals;
    if (more.length > 0) throw refusal('results takes one folder.');
    return { command, folder };
  }
  if (command === 'evaluate') return runCommand(command, parseFlags(rest, shared).values, environment);
  if (command === 'evolve')
    return runCommand(command, parseFlags(rest, { ...shared, ...forEvolve }).values, environment);
  if (command === 'judges') return judgesCommand(parseFlags(rest, forJudges).values, environment);
  throw refusal(
    `There is no command ${JSON.stringify(command)}: evaluate, evolve, judges, table and results are the commands.`,
  );
}

function runCommand(
  command: 'evaluate' | 'evolve',
  flags: Flags,
  environment: NodeJS.ProcessEnv,
): RunCommand {
  const read = new FlagReader(flags);
  const retriever = read.choice<RetrieverKind>('retriever', ['bm25', 'dense', 'hybrid']) ?? 'bm25';
  const { embedder, device } = embedderOf(read);
  const judge = read.string('judge');
  const judgedByEmbedder = judge !== undefined && needsEmbedder(parseJudgeSpec(judge), retriever);
  const roles = command === 'evolve' ? read.required('roles') : 'extractive';
  const withEmbedder = retriever !== 'bm25' || judgedByEmbedder || read.string('embedder') !== undefined;
  const spec: EngineSpec = {
    name: 'lab',
    store: 'memory',
    settings: {
      retriever,
      aggregate: aggregateOf(read.string('aggregate')),
      ...given('depth', read.count('depth')),
      ...given('keyBudget', read.count('key-budget')),
    },
    ...(withEmbedder ? { embedder } : {}),
    roles,
    ...given('prompts', read.choice('prompts', ['full', 'compact'])),
    ...given('judge', judge),
    ...(generatorPlace(parseRolesSpec(roles)) === 'worker' ? { generator: { device } } : {}),
    ...given('apiKey', environment.SELF_INDEX_API_KEY),
  };
  checkRoles(spec, retriever);
  return {
    command,
    collection: read.required('collection'),
    spec,
    ...(command === 'evolve' ? { evolve: evolveOptions(read) } : {}),
    ...given('limitQueries', read.count('limit-queries')),
    ...given('queries', read.string('queries')),
    ...given('run', read.string('run')),
    ...given('json', read.string('json')),
    verbose: read.flag('verbose'),
  };
}

/** What `--embedder` names, and how models run in the browser. */
function embedderOf(read: FlagReader) {
  const named = /^static:(.+)$/.exec(read.string('embedder') ?? '')?.[1];
  const encoder = encoderOf(read);
  const embedder: EmbedderSpec = named === undefined ? encoder : { kind: 'static', model: named };
  return { embedder, dtype: encoder.dtype, device: encoder.device };
}

function encoderOf(read: FlagReader) {
  return {
    model: read.string('embedder') ?? 'all-MiniLM-L6-v2',
    dtype: read.choice('dtype', ['q8', 'fp32', 'fp16']) ?? 'q8',
    ...given('activations', read.choice('activations', ['fp32', 'int8'])),
    device: read.choice('device', ['wasm', 'webgpu']) ?? 'wasm',
  };
}

/** Pairs of a table of judges; with a language model few, since it takes seconds a pair on a CPU. */
const defaultPairs = { rules: 400, model: 40 } as const;

function judgesCommand(flags: Flags, environment: NodeJS.ProcessEnv): JudgesCommand {
  const read = new FlagReader(flags);
  const named = read.string('model');
  const model = named === undefined || named.includes(':') ? named : `transformers:${named}`;
  const all = ['rules', 'embedder', 'roundtrip', ...(model === undefined ? [] : ['prompted', 'claims'])];
  const judges = read.string('judges')?.split(',') ?? all;
  const specs = judges.map(parseJudgeSpec);
  const { embedder, dtype, device } = embedderOf(read);
  const played = parseRolesSpec(model ?? 'extractive');
  for (const spec of specs)
    checkJudge(spec, { embedder: true, model: played.kind !== 'extractive', scorers: true });
  const asksModel = specs.some(needsModel);
  return {
    command: 'judges',
    collection: read.required('collection'),
    request: {
      judges,
      pairs: read.count('pairs') ?? defaultPairs[asksModel ? 'model' : 'rules'],
      seed: read.integer('seed') ?? 0,
      ...(specs.some((spec) => needsEmbedder(spec)) ? { embedder } : {}),
      scorer: { dtype, device },
      ...(asksModel ? { model } : {}),
      ...(asksModel && generatorPlace(played) === 'worker' ? { generator: { device: device } } : {}),
      ...(asksModel ? given('apiKey', environment.SELF_INDEX_API_KEY) : {}),
    },
    ...given('json', read.string('json')),
    verbose: read.flag('verbose'),
  };
}

function evolveOptions(read: FlagReader): RunCommand['evolve'] {
  const budget = {
    ...given('calls', read.count('calls')),
    ...given('tokens', read.count('tokens')),
    ...given('minutes', read.positive('minutes')),
  };
  return {
    iterations: read.count('iterations') ?? 1,
    batch: read.count('batch') ?? 128,
    order: read.choice('order', ['gain', 'paper']) ?? 'gain',
    seed: read.integer('seed') ?? 0,
    ...(Object.keys(budget).length > 0 ? { budget } : {}),
    ...(read.flag('no-guard') ? { guard: false } : {}),
    expansion: !read.flag('no-expansion'),
    prune: read.flag('prune'),
    fullVerdicts: read.flag('full-verdicts'),
  };
}

function aggregateOf(value: string | undefined): Aggregate {
  if (value === undefined || value === 'blend') return defaultAggregate;
  if (value === 'max') return 'max';
  const numbers = value.split(',').map(Number);
  if (numbers.length !== 2 || !numbers.every((n) => n >= 0 && Number.isFinite(n)))
    throw refusal(`--aggregate is max, blend or two numbers such as 0.5,0.2, not ${JSON.stringify(value)}.`);
  return { blend: numbers[0], boost: numbers[1] };
}

function given<K extends string, V>(name: K, value: V | undefined): { [key in K]?: V } {
  return value === undefined ? {} : ({ [name]: value } as { [key in K]: V });
}
