import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join, sep } from 'node:path';
import type { Plugin, PreviewServer, ResolvedConfig, ViteDevServer } from 'vite';
import { here, serveFiles } from './serve-files.ts';

/** Where model files are looked for, in this order: what `npm run models` fetched, and copies shared by checkouts. */
const folders = [here('../public/models'), here('../../shared/models')];

/**
 * Serves `/models/<id>/<file>` in development, preview and tests, and a list of the models. Models and test collections are large and belong to who runs
 * the page, so a build copies all of `public/` but them.
 */
export function serveModels(): Plugin {
  let config: ResolvedConfig;
  const use = ({ middlewares }: ViteDevServer | PreviewServer) => {
    middlewares.use('/models/index.json', (_request, response) => {
      response.setHeader('Content-Type', 'application/json');
      response.setHeader('Cache-Control', 'no-cache');
      response.end(JSON.stringify(installed()));
    });
    middlewares.use('/models', serveFiles(folders, 'model file'));
  };
  return {
    name: 'self-index:models',
    config: () => ({ build: { copyPublicDir: false } }),
    configResolved: (resolved) => {
      config = resolved;
    },
    configureServer: use,
    configurePreviewServer: use,
    async writeBundle({ dir }) {
      if (!dir || !config.publicDir || dir !== config.build.outDir) return;
      const collections = join(config.publicDir, 'collections');
      await cp(config.publicDir, dir, {
        recursive: true,
        filter: (path) =>
          path !== join(config.publicDir, 'models') &&
          (dirname(path) !== collections || basename(path) === 'index.json') &&
          basename(path) !== '.gitkeep',
      });
      // A host that serves models beside the build names them here.
      await mkdir(join(dir, 'models'), { recursive: true });
      await writeFile(join(dir, 'models/index.json'), '[]\n');
    },
  };
}

/** Folders that hold a model of transformers.js: one that writes has settings for generating, one that embeds has none. */
function installed(): {
  readonly id: string;
  readonly kind: 'generator' | 'embedder';
  readonly bytes: number;
  /** For whoever keeps a copy: hashes where `npm run models` has noted them. */
  readonly files: readonly ServedFile[];
}[] {
  const found = new Map<string, string>();
  for (const folder of folders.filter((each) => existsSync(each))) {
    for (const id of readdirSync(folder)) if (!found.has(id)) found.set(id, join(folder, id));
  }
  return [...found].sort().flatMap(([id, folder]) => {
    if (!existsSync(join(folder, 'onnx')) || !existsSync(join(folder, 'config.json'))) return [];
    const files = filesOf(folder);
    const bytes = files.reduce((sum, { size }) => sum + size, 0);
    const kind = existsSync(join(folder, 'generation_config.json')) ? 'generator' : 'embedder';
    return [{ id, kind, bytes, files }] as const;
  });
}

interface ServedFile {
  readonly path: string;
  readonly size: number;
  readonly sha256?: string;
}

/** Those that a model consists of: what stands beside them (references, manifests, pictures) is nobody's download. */
function filesOf(folder: string): ServedFile[] {
  const noted = notedHashes(folder);
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((path) => path.split(sep).join('/'))
    .filter((path) => /(\.json|\.onnx|\.onnx_data(_\d+)?|\.txt|\.model)$/.test(path))
    .filter((path) => !/(^|\/)(manifest|reference)\.json$|(^|\/)\./.test(path))
    .sort()
    .flatMap((path) => {
      const stats = statSync(join(folder, path));
      const sha256 = noted.get(path);
      return stats.isFile() ? [{ path, size: stats.size, ...(sha256 !== undefined && { sha256 }) }] : [];
    });
}

/** As `npm run models` leaves them in a folder (src/lab/models/model-folder.ts). */
function notedHashes(folder: string): ReadonlyMap<string, string> {
  const path = join(folder, 'manifest.json');
  if (!existsSync(path)) return new Map();
  const { files = [] } = JSON.parse(readFileSync(path, 'utf8')) as {
    files?: readonly { readonly path: string; readonly sha256: string }[];
  };
  return new Map(files.map(({ path, sha256 }) => [path, sha256]));
}
