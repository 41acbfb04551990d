import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const modelFolder = (name: string) =>
  fileURLToPath(new URL(`../../fixtures/models/${name}`, import.meta.url));

export interface FakeHub {
  readonly url: string;
  /** Paths asked for, in order, with the ranges. */
  readonly asked: string[];
  /** From now on weights stop coming after so many bytes; undefined lets them through. */
  halt(after: number | undefined): void;
  close(): Promise<void>;
}

/** A hub in the layout of huggingface.co with one of the tiny models as `someone/<name>`, which other origins may ask. */
export async function startHub(name: string): Promise<FakeHub> {
  const folder = modelFolder(name);
  const files = new Map(
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((path) => statSync(join(folder, path)).isFile())
      .map((path) => [path, readFileSync(join(folder, path))]),
  );
  const commit = 'c'.repeat(40);
  const asked: string[] = [];
  let halt: number | undefined;
  const listing = JSON.stringify({
    sha: commit,
    siblings: [...files].map(([rfilename, bytes]) => ({
      rfilename,
      size: bytes.length,
      blobId: createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex'),
      ...(rfilename.endsWith('.onnx') && {
        lfs: { sha256: createHash('sha256').update(bytes).digest('hex'), size: bytes.length },
      }),
    })),
  });
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    const range = request.headers.range;
    asked.push(range ? `${path} ${range}` : path);
    response.setHeader('Access-Control-Allow-Origin', '*');
    response.setHeader('Access-Control-Expose-Headers', 'ETag, Content-Range');
    if (path === `/api/models/someone/${name}/revision/main?blobs=true`) {
      response.setHeader('Content-Type', 'application/json').end(listing);
      return;
    }
    const prefix = `/someone/${name}/resolve/${commit}/`;
    const bytes = path.startsWith(prefix) ? files.get(path.slice(prefix.length)) : undefined;
    if (!bytes) {
      response.writeHead(404).end();
      return;
    }
    const from = Number(/^bytes=(\d+)-/.exec(range ?? '')?.[1] ?? 0);
    response.writeHead(range ? 206 : 200, {
      ETag: `"${bytes.length}"`,
      'Content-Length': bytes.length - from,
      ...(range && { 'Content-Range': `bytes ${from}-${bytes.length - 1}/${bytes.length}` }),
    });
    if (halt !== undefined && path.endsWith('.onnx')) response.write(bytes.subarray(from, from + halt));
    else response.end(bytes.subarray(from));
  });
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    asked,
    halt: (after) => (halt = after),
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
