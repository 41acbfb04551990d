// `npm run bench -- <name> [options]`: each folder beside this file is a benchmark with a main.ts of its own.
import { existsSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));
const names = readdirSync(here).filter((name) => existsSync(`${here}/${name}/main.ts`));
const [name, ...options] = process.argv.slice(2);

if (name === undefined || !names.includes(name)) {
  console.error(`Usage: npm run bench -- <${names.join(' | ')}> [options]`);
  process.exit(2);
}
const { run } = (await import(`./${name}/main.ts`)) as {
  run: (options: readonly string[]) => Promise<number>;
};
process.exit(await run(options));
