import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { JsonValue } from '../../base/json.ts';
import { readQueries, type CollectionQuery } from '../collection.ts';
import type { LabReport } from '../report.ts';
import type { LabRequest } from '../types.ts';
import type { RunCommand } from './options.ts';
import type { OutputFile } from './output-file.ts';
import { withLab } from './with-lab.ts';

/** R@100 needs a hundred; a run file holds what TREC asks for. */
const rankedDocuments = { measured: 100, run: 1000 };

/**
 * Runs an experiment on a collection. Cancelled, it rejects with an AbortError.
 *
 * @param run Receives the TREC run of the last version.
 */
export async function runExperiment(
  command: RunCommand,
  run: OutputFile | undefined,
  signal: AbortSignal,
): Promise<LabReport> {
  const queries =
    command.queries === undefined ? undefined : await readQueries(readFileSync(command.queries));
  const { collection: folder, verbose } = command;
  const onRunPart = (lines: string) => run?.append(lines);
  return withLab({ collection: folder, verbose, signal, onRunPart }, async (browser, collection) => {
    const { versions, comparison, failures, roles } = await browser.run(
      requestOf(command, run !== undefined, queries),
    );
    return {
      collection: collection.name,
      retriever: command.spec.settings?.retriever ?? 'bm25',
      roles: command.evolve ? command.spec.roles : null,
      seed: command.evolve?.seed ?? 0,
      versions,
      ...(comparison ? { comparison } : {}),
      ...(failures ? { failures } : {}),
      settings: { ...settingsOf(command), ...(roles ? { roles } : {}) },
    };
  });
}

function requestOf(command: RunCommand, withRun: boolean, queries?: readonly CollectionQuery[]): LabRequest {
  return {
    spec: command.spec,
    ...(command.evolve ? { evolve: { ...command.evolve, ...(queries ? { queries } : {}) } } : {}),
    ...(command.limitQueries === undefined ? {} : { limitQueries: command.limitQueries }),
    limit: withRun ? rankedDocuments.run : rankedDocuments.measured,
    withRun,
  };
}

/** What decides the figures, as plain data; never a key of an endpoint. */
function settingsOf({ spec, evolve, queries, limitQueries }: RunCommand): Record<string, JsonValue> {
  const { settings, embedder, judge } = spec;
  const all = { ...settings, embedder, ...(evolve ? { judge, ...evolve } : {}), limitQueries };
  return {
    ...(JSON.parse(JSON.stringify(all)) as Record<string, JsonValue>),
    ...(queries === undefined ? {} : { queries: basename(queries) }),
  };
}
