// Compiles the similarity kernel (src/kernel/assembly) to WebAssembly and gives it to whoever imports
// src/kernel/binaries.ts: in Vite (pages, workers, tests) as text inside a module, under plain Node as bytes.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));
const sources = path('../src/kernel/assembly');
const cache = path('../.cache/kernel');
const binaries = path('../src/kernel/binaries.ts').replaceAll('\\', '/');
const features = { base: 'simd', relaxed: 'simd,relaxed-simd' };

/** Options that never need a heap: the module imports its memory and leaves all of it to TypeScript. */
const options = [
  '-O3 --shrinkLevel 1 --noAssert --runtime stub --importMemory --initialMemory 1 --maximumMemory 65536',
  '--disable mutable-globals',
].flatMap((line) => line.split(' '));

/** The binary of one build, `base` or `relaxed`; compiled once for given sources, compiler and options. */
export async function compileKernel(flavour) {
  const names = readdirSync(sources).filter((name) => name.endsWith('.ts'));
  const hash = createHash('sha256').update(features[flavour]).update(options.join(' '));
  hash.update(readFileSync(path('../node_modules/assemblyscript/package.json')));
  for (const name of names.sort()) hash.update(name).update(readFileSync(`${sources}/${name}`));
  const file = `${cache}/${flavour}-${hash.digest('hex').slice(0, 16)}.wasm`;
  if (!existsSync(file)) {
    mkdirSync(cache, { recursive: true });
    // Several test processes may compile at once: each writes its own file, and the last rename wins.
    const own = `${file}.${process.pid}`;
    writeFileSync(own, await compile(features[flavour]));
    renameSync(own, file);
  }
  return new Uint8Array(readFileSync(file));
}

async function compile(enabled) {
  const { default: asc } = await import('assemblyscript/asc');
  let binary;
  const { error, stderr } = await asc.main(
    ['index.ts', '--baseDir', sources, '--outFile', 'kernel.wasm', '--enable', enabled, ...options],
    { writeFile: (_, contents) => (binary = contents) },
  );
  if (error) throw new Error(`The kernel does not compile.\n${stderr.toString()}`, { cause: error });
  return binary;
}

const prefix = 'virtual:kernel-wasm/';

/** The Vite plugin; workers are bundled apart, so it is named for them too. */
export function kernelWasm() {
  return {
    name: 'kernel-wasm',
    enforce: 'pre',
    /** Compiled here, so that no test pays for it within its own time. */
    async buildStart() {
      for (const flavour of Object.keys(features)) await compileKernel(flavour);
    },
    resolveId: (id) => (id.startsWith(prefix) ? `\0${id}` : undefined),
    async load(id) {
      const clean = id.split('?')[0];
      if (clean === binaries) {
        const loaders = Object.keys(features).map((name) => `${name}: () => import('${prefix}${name}')`);
        return `const builds = { ${loaders.join(', ')} };
          export async function kernelBinary(flavour) {
            const text = atob((await builds[flavour]()).default);
            return Uint8Array.from(text, (character) => character.charCodeAt(0));
          }`;
      }
      if (!clean.startsWith(`\0${prefix}`)) return undefined;
      const flavour = clean.slice(prefix.length + 1);
      for (const name of readdirSync(sources)) this.addWatchFile(`${sources}/${name}`);
      return `export default '${Buffer.from(await compileKernel(flavour)).toString('base64')}'`;
    },
  };
}
