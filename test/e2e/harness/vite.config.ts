import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';
import { frequentWordsPlugin } from '../../../.ci/frequent-words.ts';
import { isolation } from '../../../.ci/isolation.ts';
import { kernelWasm } from '../../../.ci/kernel-wasm.js';

const here = fileURLToPath(new URL('.', import.meta.url));

/** The harness page, built like the app: the engine in its workers, driven by a test from outside. */
export default defineConfig({
  root: here,
  appType: 'mpa',
  logLevel: 'warn',
  plugins: [kernelWasm(), frequentWordsPlugin()],
  worker: { format: 'es', plugins: () => [kernelWasm(), frequentWordsPlugin()] },
  build: { outDir: '../../../.cache/harness', emptyOutDir: true, target: 'es2023' },
  preview: { headers: isolation, strictPort: true, port: 4174 },
});
