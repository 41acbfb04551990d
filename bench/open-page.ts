import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright';
import { createServer, mergeConfig } from 'vite';
import { chromiumLaunch } from '../.ci/chromium.js';
import base from '../vite.config.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

type Methods<B> = { readonly [K in keyof B]: (...given: never[]) => Promise<unknown> };

/** What a page of a benchmark offers (`globalThis.<name>Bench` of bench/<name>/page/page.ts), called from here. */
export interface BenchPage<B extends Methods<B>> {
  readonly chromium: string;
  call<K extends keyof B & string>(name: K, ...given: Parameters<B[K]>): Promise<Awaited<ReturnType<B[K]>>>;
  /** A fresh page in place of this one. */
  renew(): Promise<void>;
  close(): Promise<void>;
}

/** Serves this project and opens the page of a benchmark in real headless Chromium. */
export async function openBenchPage<B extends Methods<B>>(name: string): Promise<BenchPage<B>> {
  const server = await createServer(
    mergeConfig(base, {
      configFile: false,
      root,
      cacheDir: `${root}node_modules/.vite-bench`,
      // A peer of another benchmark brings a package of the same name into bench/node_modules.
      resolve: { dedupe: ['@xenova/transformers', 'onnxruntime-web'] },
      logLevel: 'warn',
      server: { port: 5191, hmr: false, watch: null },
    }),
  );
  await server.listen();
  const chrome = await chromium.launch(chromiumLaunch());
  const open = async () => {
    const page = await chrome.newPage();
    page.on('pageerror', (error) => console.error(`page: ${error.message}`));
    await page.goto(`${server.resolvedUrls?.local[0] ?? ''}bench/page.html?name=${name}`);
    await page.waitForFunction(`globalThis.${name}Bench !== undefined`, undefined, { timeout: 120_000 });
    return page;
  };
  let page = await open();
  return {
    chromium: chrome.version(),
    call: (method, ...given) =>
      page.evaluate(`globalThis.${name}Bench.${method}(...${JSON.stringify(given)})`),
    async renew() {
      await page.close();
      page = await open();
    },
    async close() {
      await chrome.close();
      await server.close();
    },
  };
}
