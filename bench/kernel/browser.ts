import { fileURLToPath } from 'node:url';
import { chromium, type Page } from 'playwright';
import { createServer } from 'vite';
import { chromiumLaunch } from '../../.ci/chromium.js';
import { isolation } from '../../.ci/isolation.ts';
import { kernelWasm } from '../../.ci/kernel-wasm.js';
import type { BenchPage } from './page/page.ts';

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

/** A headless Chromium on an isolated page that holds the benchmark. */
export async function openBrowser(): Promise<Browser> {
  const server = await createServer({
    configFile: false,
    root: fileURLToPath(new URL('../..', import.meta.url)),
    appType: 'mpa',
    logLevel: 'warn',
    plugins: [kernelWasm()],
    server: { headers: isolation, port: 5190, hmr: false, watch: null },
  });
  await server.listen();
  const [address] = server.resolvedUrls?.local ?? [];
  const chrome = await chromium.launch(chromiumLaunch());
  let page: Page | undefined;
  const renew = async () => {
    await page?.close();
    page = await chrome.newPage();
    page.on('pageerror', (error) => console.error(`page: ${error.message}`));
    await page.goto(`${address}bench/kernel/page/page.html`);
    await page.waitForFunction(() => window.bench !== undefined, undefined, { timeout: 120_000 });
  };
  await renew();
  return {
    version: chrome.version(),
    renew,
    call: (name, ...values) =>
      page!.evaluate(
        ([called, given]) =>
          (window.bench![called as keyof BenchPage] as (...values: unknown[]) => unknown)(
            ...(given as unknown[]),
          ),
        [name, values] as const,
      ) as never,
    close: async () => {
      await chrome.close();
      await server.close();
    },
  };
}
