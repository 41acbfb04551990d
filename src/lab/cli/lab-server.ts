import {
  createReadStream,
  existsSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, preview, type Plugin } from 'vite';
import { frequentWordsPlugin } from '../../../.ci/frequent-words.ts';
import { isolation } from '../../../.ci/isolation.ts';
import { kernelWasm } from '../../../.ci/kernel-wasm.js';
import { serveModels } from '../../../.ci/serve-models.ts';
import { contentHash, sha256Hex } from '../../base/hash.ts';
import { packVectors } from '../packed-vectors.ts';
import { labPaths } from '../types.ts';
import type { CollectionFolder } from './collection-folder.ts';
import { VectorFiles } from './vector-files.ts';

const top = fileURLToPath(new URL('../../../', import.meta.url));
const cache = join(top, '.cache/lab');

/** The lab's page without the app's: less to build, and nothing that only the app needs. */
const pageAlone = {
  configFile: false,
  root: join(top, 'src/app'),
  publicDir: false,
  appType: 'mpa',
  logLevel: 'error',
} as const;

export interface LabListeners {
  /** Receives the TREC run, part by part. */
  onRunPart(lines: string): void;
  /** Told how many texts have been embedded in this run. */
  onEmbedded(texts: number): void;
}

export interface LabServer {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Serves the built lab page with a collection on a free port. The page is built, not served from source: what runs is
 * fixed at the start, however long it runs and whoever edits the sources meanwhile. The build is kept until they change.
 */
export async function serveLab(collection: CollectionFolder, listeners: LabListeners): Promise<LabServer> {
  const outDir = await buildPage();
  const server = await preview({
    ...pageAlone,
    build: { outDir },
    preview: { host: '127.0.0.1', port: 0, headers: isolation },
    plugins: [serveModels(), labFiles(collection, listeners)],
  });
  const address = server.httpServer.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return { url: `http://127.0.0.1:${address.port}`, close: () => server.close() };
}

async function buildPage(): Promise<string> {
  const outDir = join(cache, 'page', sourcesHash());
  if (existsSync(join(outDir, 'lab.html'))) return outDir;
  const aside = `${outDir}.${process.pid}`;
  const core = () => [kernelWasm(), frequentWordsPlugin()];
  await build({
    ...pageAlone,
    build: {
      outDir: aside,
      emptyOutDir: true,
      target: 'es2023',
      reportCompressedSize: false,
      rollupOptions: { input: { lab: join(pageAlone.root, 'lab.html') } },
    },
    plugins: core(),
    worker: { format: 'es', plugins: core },
  });
  if (existsSync(outDir)) rmSync(aside, { recursive: true });
  else renameSync(aside, outDir);
  removeOldBuilds(outDir);
  return outDir;
}

/** Keeps the last few builds: another run may still be serving one of them. */
function removeOldBuilds(current: string): void {
  const folder = join(cache, 'page');
  const builds = readdirSync(folder)
    .map((name) => join(folder, name))
    .filter((path) => path !== current)
    .map((path) => ({ path, at: statSync(path).mtimeMs }))
    .sort((a, b) => b.at - a.at);
  for (const { path } of builds.slice(8)) rmSync(path, { recursive: true, force: true });
}

function sourcesHash(): string {
  const hashes: Record<string, string> = {};
  const add = (path: string) => {
    if (statSync(path).isDirectory()) for (const name of readdirSync(path)) add(join(path, name));
    else hashes[relative(top, path)] = sha256Hex(readFileSync(path));
  };
  for (const path of ['src', 'workers', '.ci', 'package-lock.json']) add(join(top, path));
  return contentHash(hashes).slice(0, 16);
}

function labFiles(collection: CollectionFolder, listeners: LabListeners): Plugin {
  let embedded = 0;
  const vectors = new VectorFiles(join(cache, 'vectors'));
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<boolean> => {
    const url = new URL(request.url ?? '/', 'http://lab');
    const space = url.searchParams.get('space') ?? '';
    switch (url.pathname) {
      case labPaths.corpus:
        createReadStream(collection.corpus).pipe(response);
        return true;
      case labPaths.queries:
        createReadStream(collection.queries).pipe(response);
        return true;
      case labPaths.qrels:
        createReadStream(collection.qrels).pipe(response);
        return true;
      case labPaths.run:
        listeners.onRunPart((await body(request)).toString('utf8'));
        response.end();
        return true;
      case `${labPaths.vectors}/put`:
        listeners.onEmbedded((embedded += vectors.put(space, await body(request))));
        response.end();
        return true;
      case `${labPaths.vectors}/get`: {
        const hashes = (await body(request)).toString('utf8').split('\n');
        response.end(packVectors(vectors.get(space, hashes).filter((entry) => entry !== undefined)));
        return true;
      }
      default:
        return false;
    }
  };
  return {
    name: 'self-index-lab-files',
    configurePreviewServer(server) {
      server.middlewares.use((request, response, next) => {
        answer(request, response).then((done) => {
          if (!done) next();
        }, next);
      });
    },
  };
}

async function body(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts);
}
