import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin, PreviewServer, ViteDevServer } from 'vite';
import { here, serveFiles } from './serve-files.ts';

/** Where test collections in BEIR's layout are looked for: git-ignored, and those that checkouts share. */
const folders = [here('../public/collections'), here('../../shared/data')];

interface Offered {
  readonly name: string;
  /** First line of its README, without the mark of a heading. */
  readonly title: string;
  readonly about: string;
  readonly files: readonly string[];
}

/**
 * Serves `/collections/<name>/<file>` in development and preview, and a list of what is there. Collections belong to others, so
 * neither the repository nor a build has any: what a host offers is up to the host (`index.json`, by default an empty list).
 */
export function serveCollections(): Plugin {
  const use = ({ middlewares }: ViteDevServer | PreviewServer) => {
    middlewares.use('/collections/index.json', (_request, response) => {
      response.setHeader('Content-Type', 'application/json');
      response.setHeader('Cache-Control', 'no-cache');
      response.end(JSON.stringify(offered()));
    });
    middlewares.use('/collections', serveFiles(folders, 'file of a collection'));
  };
  return { name: 'self-index:collections', configureServer: use, configurePreviewServer: use };
}

/** The smallest first: what an evolution is soon through with. */
function offered(): Offered[] {
  const found = folders.flatMap((folder) =>
    (existsSync(folder) ? readdirSync(folder) : []).map((name) => [folder, name]),
  );
  const unique = new Map(found.reverse().map(([folder, name]) => [name, join(folder, name)]));
  return [...unique]
    .flatMap(([name, folder]) => describe(name, folder))
    .sort((a, b) => a.size - b.size)
    .map(({ offer }) => offer);
}

function describe(name: string, folder: string): { readonly offer: Offered; readonly size: number }[] {
  const pick = (...names: string[]) =>
    names.flatMap((each) => [each, `${each}.gz`]).find((each) => existsSync(join(folder, each)));
  const [corpus, queries, qrels] = [
    pick('corpus.jsonl'),
    pick('queries.jsonl'),
    pick('qrels.tsv', 'qrels/test.tsv'),
  ];
  if (!corpus || !queries || !qrels) return [];
  const readme = join(folder, 'README.md');
  const [title = name, about = ''] = existsSync(readme)
    ? readFileSync(readme, 'utf8')
        .split('\n')
        .filter((line) => line.trim() !== '')
    : [];
  const offer = { name, title: title.replace(/^#+\s*/, ''), about, files: [corpus, queries, qrels] };
  return [{ offer, size: statSync(join(folder, corpus)).size }];
}
