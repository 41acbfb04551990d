import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import type { Plugin } from 'vite';

/** What a page that opens offline does not need: models and what runs them, collections, the lab, maps, the worker itself. */
const leftOut = [
  /^models\//,
  /^collections\//,
  /\.wasm$/,
  /\.map$/,
  /^lab\.html$/,
  /^sw\.js$/,
  /^assets\/(lab|embedder|generator|scorer|ort|transformers-model|load-wllama|load-webllm|webllm|serve-prompt-api|schema-masks|parse-answer)\b/,
];

/** What runs models on the CPU: kept offline only for who keeps a model. */
const runtime = [
  /^assets\/(embedder|embedder-runtime|generator)\.worker-.*\.js$/,
  /^assets\/(transformers-model|schema-masks|parse-answer)-.*\.js$/,
  /^assets\/ort-wasm-simd-threaded-.*\.(mjs|wasm)$/,
];

const policy = [
  "default-src 'self'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "worker-src 'self'",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

/** Builds the service worker beside the page, and gives the built page its Content-Security-Policy. */
export function appShell(serviceWorker: string): Plugin {
  let output = '';
  return {
    name: 'self-index:app-shell',
    apply: 'build',
    config: () => ({ build: { rollupOptions: { input: { sw: serviceWorker } } } }),
    outputOptions: (options) => ({
      ...options,
      entryFileNames: (chunk) => (chunk.name === 'sw' ? 'sw.js' : 'assets/[name]-[hash].js'),
    }),
    configResolved: (config) => {
      output = config.build.outDir;
    },
    // The lab's page runs what its caller names, other origins included.
    transformIndexHtml: (_html, { filename }) =>
      filename.endsWith('lab.html')
        ? []
        : [
            {
              tag: 'meta',
              attrs: { 'http-equiv': 'Content-Security-Policy', content: policy },
              injectTo: 'head-prepend',
            },
          ],
    writeBundle: {
      order: 'post',
      sequential: true,
      handler(_options, bundle) {
        if (!bundle['sw.js']) return;
        const all = listFiles(output);
        const files = all.filter((file) => !leftOut.some((pattern) => pattern.test(file)));
        const hash = createHash('sha256');
        for (const file of files) hash.update(file).update(readFileSync(join(output, file)));
        const shell = JSON.stringify({
          version: hash.digest('hex').slice(0, 12),
          files,
          runtime: all.filter((file) => runtime.some((pattern) => pattern.test(file))),
        });
        const path = join(output, 'sw.js');
        const code = readFileSync(path, 'utf8');
        // Whatever quotes the minifier chose.
        const filled = code.replace(/(["'`])__APP_SHELL__\1/, () => JSON.stringify(shell));
        if (filled === code) this.error('The service worker has no place for the list of files.');
        writeFileSync(path, filled);
      },
    },
  };
}

/** Paths relative to the folder, with forward slashes, in code point order. */
function listFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .sort();
}
