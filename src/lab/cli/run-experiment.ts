import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { JsonValue } from '../../base/json.ts';
import { readQueries, type CollectionQuery } from '../collection.ts';
import type { LabReport } from '../report.ts';
import { labPaths, type LabRequest } from '../types.ts';
import { findCollection } from './collection-folder.ts';
import { LabBrowser } from './lab-browser.ts';
import { serveLab } from './lab-server.ts';
import type { RunCommand } from './options.ts';
import type { OutputFile } from './output-file.ts';
import { ProgressLine } from './progress.ts';

/** R@100 needs a hundred; a run file holds what TREC asks for. */
const rankedDocuments = { measured: 100, run: 1000 };

/**
 * Serves the collection, opens the browser, runs, cleans up. Cancelled, it rejects with an AbortError.
 *
 * @param run Receives the TREC run of the last version.
 */
export async function runExperiment(
  command: RunCommand,
  run: OutputFile | undefined,
  signal: AbortSignal,
): Promise<LabReport> {
  const collection = findCollection(command.collection);
  const queries =
    command.queries === undefined ? undefined : await readQueries(readFileSync(command.queries));
  const progress = new ProgressLine();
  const server = await serveLab(collection, {
    onRunPart: (lines) => run?.append(lines),
    onEmbedded: (texts) => progress.show({ step: 'embedding', done: texts }),
  });
  try {
    const browser = await LabBrowser.open({
      url: server.url + labPaths.page,
      onProgress: (step) => progress.show(step),
      onLog: command.verbose ? (line) => console.error(line) : undefined,
      signal,
    });
    try {
      const { versions, roles } = await browser.run(requestOf(command, run !== undefined, queries));
      return {
        collection: collection.name,
        retriever: command.spec.settings?.retriever ?? 'bm25',
        roles: command.evolve ? command.spec.roles : null,
        seed: command.evolve?.seed ?? 0,
        versions,
        settings: { ...settingsOf(command), ...(roles ? { roles } : {}) },
      };
    } finally {
      await browser.close();
    }
  } finally {
    progress.end();
    await server.close();
  }
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
