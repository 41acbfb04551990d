import { SelfIndexError, isAbort, messageOf } from '../../base/errors.ts';
import type { LabReport } from '../report.ts';
import { isRoleIds, whoJudges, whoJudgesInWords } from '../../roles/mixed.ts';
import { help } from './help.ts';
import { judgesTable } from './judges-table.ts';
import { parseCommand, type JudgesCommand, type LabCommand, type RunCommand } from './options.ts';
import { OutputFile } from './output-file.ts';
import { readJsonFile, resultsPage } from './results-page.ts';
import { resultsTable, runTable } from './table.ts';

const exitCode = { done: 0, failed: 1, notUnderstood: 2, cancelled: 130 } as const;

async function main(args: readonly string[]): Promise<number> {
  let command: LabCommand;
  try {
    command = parseCommand(args, process.env);
  } catch (error) {
    console.error(messageOf(error));
    return exitCode.notUnderstood;
  }
  try {
    if (command.command === 'help') console.log(help);
    else if (command.command === 'table')
      console.log(resultsTable(command.files.map((file) => readJsonFile<LabReport>(file))));
    else if (command.command === 'results') writeResults(command.folder);
    else if (command.command === 'judges') await judge(command);
    else await run(command);
    return exitCode.done;
  } catch (error) {
    if (isAbort(error)) console.error('Cancelled: nothing was written.');
    else if (error instanceof SelfIndexError) console.error(`${error.message} (${error.code})`);
    else console.error(error);
    return isAbort(error) ? exitCode.cancelled : exitCode.failed;
  }
}

async function judge(command: JudgesCommand): Promise<void> {
  const { runJudges } = await import('./run-judges.ts');
  const jsonFile = command.json === undefined ? undefined : new OutputFile(command.json);
  try {
    const report = await runJudges(command, cancelledByUser());
    jsonFile?.append(`${JSON.stringify(report, null, 1)}\n`);
    jsonFile?.finish();
    console.log(judgesTable(report));
  } finally {
    jsonFile?.discard();
  }
}

function cancelledByUser(): AbortSignal {
  const controller = new AbortController();
  const cancel = () => controller.abort();
  process.once('SIGINT', cancel).once('SIGTERM', cancel); // a second Ctrl-C ends it at once
  return controller.signal;
}

async function run(command: RunCommand): Promise<void> {
  // Vite and Playwright take a second to load: only when they are needed.
  const { runExperiment } = await import('./run-experiment.ts');
  const signal = cancelledByUser();
  const runFile = command.run === undefined ? undefined : new OutputFile(command.run);
  const jsonFile = command.json === undefined ? undefined : new OutputFile(command.json);
  try {
    const report = await runExperiment(command, runFile, signal);
    jsonFile?.append(`${JSON.stringify(report, null, 1)}\n`);
    jsonFile?.finish();
    runFile?.finish();
    console.log(runTable(report));
    if (isRoleIds(report.settings.roles))
      console.log(`\n${whoJudgesInWords(whoJudges(report.settings.roles))}`);
    const { prompts } = (report.settings.roles ?? {}) as { readonly prompts?: unknown };
    if (typeof prompts === 'string') console.log(`Prompts: ${prompts}.`);
  } finally {
    jsonFile?.discard();
    runFile?.discard();
  }
}

function writeResults(folder: string): void {
  const page = new OutputFile(`${folder.replace(/[/\\]$/, '')}.md`);
  try {
    page.append(`${resultsPage(folder)}\n`);
    page.finish();
  } finally {
    page.discard();
  }
}

process.exitCode = await main(process.argv.slice(2));
