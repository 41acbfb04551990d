import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { isAbort, messageOf, SelfIndexError } from '../../base/errors.ts';
import { catalogueModels } from '../../embed/catalogue.ts';
import type { CatalogueModel } from '../../embed/catalogue.ts';
import { copyModel, fetchModel, installedModel } from '../models/model-folder.ts';
import type { ModelManifest } from '../models/model-folder.ts';

/** What is brought where nothing is named: what this project has run. */
const defaults = catalogueModels.filter(({ copy }) => copy.files.length > 0);

const help = `npm run models -- [MODEL…] [--from DIR] [--to DIR] [--hub URL] [--unverified] [--list]

Brings models into public/models, from where the page serves them. Without names: ${defaults.map(({ id }) => id).join(', ')}.
Not run by this project, and larger: ${catalogueModels
  .filter((each) => !defaults.includes(each))
  .map(({ id }) => id)
  .join(', ')}.
  --from DIR      take them from a local folder instead of their hub
  --to DIR        put them there instead of public/models
  --hub URL       another hub of the same layout (default https://huggingface.co)
  --unverified    with --from: take files that are not the catalogue's copy
  --list          say what there is, and do nothing

Nothing is fetched unless you run this. A download that was cut off is taken up again by the next run.`;

async function main(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      from: { type: 'string' },
      to: { type: 'string', default: fileURLToPath(new URL('../../../public/models', import.meta.url)) },
      hub: { type: 'string' },
      unverified: { type: 'boolean', default: false },
      list: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return say(help);
  const models = positionals.length > 0 ? positionals.map(find) : values.list ? catalogueModels : defaults;
  const controller = new AbortController();
  process.once('SIGINT', () => controller.abort(new DOMException('Stopped.', 'AbortError')));
  for (const model of models) {
    const there = await installedModel(model.id, values.to);
    if (values.list)
      say(`${model.id}  ${there ? 'is there' : 'is not there'}  ${model.title} (${model.licence})`);
    else if (there) say(`${model.id} is there already, every byte of it.`);
    else if (values.from !== undefined)
      report(await copyModel(model, values.from, values.to, { unverified: values.unverified }));
    else {
      say(`${model.id} (${model.licence}) from ${model.hub.repository}`);
      if (!model.hub.verified)
        say('  Not verified: its files may differ from the copy with which this project was measured.');
      const { signal } = controller;
      report(await fetchModel(model, values.to, { hub: values.hub, signal, ...progress() }));
    }
  }
  return 0;
}

function find(id: string): CatalogueModel {
  const model = catalogueModels.find((each) => each.id === id);
  if (!model)
    throw new SelfIndexError(
      'invalid-argument',
      `The catalogue has no "${id}", only ${catalogueModels.map((each) => each.id).join(', ')}.`,
    );
  return model;
}

function report({ id, files }: ModelManifest): void {
  const held = {
    known: 'hash as in the catalogue',
    declared: 'hash as the hub declares',
    no: 'hash not verified',
  };
  for (const { path, size, verified } of files) say(`  ${path}  ${megabytes(size)}  ${held[verified]}`);
  say(`${id} is there.`);
}

function progress() {
  let name = '';
  let next = 0;
  return {
    onFile: (path: string) => {
      name = path;
      next = 0;
    },
    onProgress: (done: number, total: number | undefined) => {
      if (done < next) return;
      next = done + 10_000_000;
      say(`  ${name}  ${megabytes(done)}${total === undefined ? '' : ` of ${megabytes(total)}`}`);
    },
  };
}

const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;

function say(line: string): number {
  console.log(line);
  return 0;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  if (isAbort(error)) console.error('Stopped. What has come is kept; run the same again to go on.');
  else if (error instanceof SelfIndexError) console.error(`${error.message} (${error.code})`);
  else console.error(messageOf(error));
  process.exitCode = 1;
}
