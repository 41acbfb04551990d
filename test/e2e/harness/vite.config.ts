import { fileURLToPath } from 'node:url';
import { defineConfig, mergeConfig } from 'vite';
import base from '../../../vite.config.ts';

const here = fileURLToPath(new URL('.', import.meta.url));

/** Serves the harness page: the engine in its workers, driven by a test from outside. */
export default mergeConfig(
  base,
  defineConfig({ root: here, cacheDir: '../../../node_modules/.vite-harness', server: { port: 4174, hmr: false, watch: null } }),
);
