import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { catalogueModels, type CatalogueModel } from '../../../src/embed/catalogue.ts';
import { copyModel, fetchModel, installedModel } from '../../../src/lab/models/model-folder.ts';
import { serveWhile } from '../fixtures/http-server.ts';

const contents: Readonly<Record<string, string>> = {
  'config.json': '{"model_type": "bert"}',
  'onnx/model_quantized.onnx': '\u0008 weights',
};

const model: CatalogueModel = {
  id: 'small',
  kind: 'embedder',
  title: 'A model of two files',
  licence: 'MIT',
  copy: {
    dtype: 'q8',
    from: 'here',
    files: Object.entries(contents).map(([path, text]) => ({
      path,
      size: text.length,
      sha256: createHash('sha256').update(text).digest('hex'),
    })),
  },
  hub: { repository: 'someone/small', revision: 'main', verified: false, files: Object.keys(contents) },
};

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'models-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

async function write(folder: string, changes: Readonly<Record<string, string>> = {}): Promise<void> {
  for (const [path, text] of Object.entries({ ...contents, ...changes })) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
}

describe('a model from a local folder', () => {
  it('is taken from the folder itself or from one of its name, and known afterwards', async () => {
    for (const inner of ['', 'small']) {
      const [from, to] = [await newFolder(), await newFolder()];
      await write(join(from, inner));
      await copyModel(model, from, to);
      expect(await readFile(join(to, 'small/config.json'), 'utf8')).toBe(contents['config.json']);
      expect(await installedModel('small', to)).toMatchObject({
        files: [{ verified: 'known' }, { verified: 'known' }],
      });
      expect(await readdir(to)).toEqual(['small']);
    }
  });

  it('that was never run here is taken unverified, or not at all', async () => {
    const unrun = { ...model, copy: { ...model.copy, files: [] } };
    const [from, to] = [await newFolder(), await newFolder()];
    await write(from);
    await expect(copyModel(unrun, from, to)).rejects.toMatchObject({ code: 'model-corrupt' });
    const { files } = await copyModel(unrun, from, to, { unverified: true });
    expect(files.map(({ path, verified }) => [path, verified])).toEqual(
      Object.keys(contents).map((path) => [path, 'no']),
    );
  });

  it('is not known any more when a byte has changed', async () => {
    const [from, to] = [await newFolder(), await newFolder()];
    await write(from);
    await copyModel(model, from, to);
    await writeFile(join(to, 'small/config.json'), '{"model_type": "bart"}');
    expect(await installedModel('small', to)).toBeUndefined();
    expect(await installedModel('other', to)).toBeUndefined();
  });

  it.each([
    ['another file of its length', { 'config.json': '{"model_type": "bart"}' }, 'model-corrupt'],
    ['weights cut short', { 'onnx/model_quantized.onnx': '\u0008 wei' }, 'model-corrupt'],
  ])('is refused for %s, and what was there stays', async (_, changes, code) => {
    const [from, to] = [await newFolder(), await newFolder()];
    await write(join(to, 'small'), { 'config.json': '{"old": true}' });
    await write(from, changes);
    await expect(copyModel(model, from, to)).rejects.toMatchObject({ code });
    expect(await readFile(join(to, 'small/config.json'), 'utf8')).toBe('{"old": true}');
    expect(await readdir(to)).toEqual(['small']);

    const manifest = await copyModel(model, from, to, { unverified: true });
    expect(manifest.files.map(({ verified }) => verified)).toContain('no');
  });

  it('is refused for a missing file, and for a web page even if unverified', async () => {
    const [from, to] = [await newFolder(), await newFolder()];
    await expect(copyModel(model, from, to)).rejects.toMatchObject({ code: 'model-not-found' });
    await write(from, { 'onnx/model_quantized.onnx': '<!doctype html>' });
    await expect(copyModel(model, from, to, { unverified: true })).rejects.toMatchObject({
      code: 'model-corrupt',
    });
    expect(await readdir(to)).toEqual([]);
  });
});

describe('a model from its hub', () => {
  it('comes file by file and appears when it is whole', async () => {
    const to = await newFolder();
    let weights = false;
    const server = await serveWhile((request, response) => {
      expect(existsSync(join(to, 'small'))).toBe(false);
      const path = request.url?.replace('/someone/small/resolve/main/', '') ?? '';
      if (path.endsWith('.onnx') && !weights) response.writeHead(404).end();
      else response.end(contents[path]);
    });
    const options = { hub: server.url, wait: async () => {} };
    await expect(fetchModel(model, to, options)).rejects.toMatchObject({ code: 'model-not-found' });
    expect(existsSync(join(to, 'small'))).toBe(false);
    weights = true;
    const files: string[] = [];
    const manifest = await fetchModel(model, to, { ...options, onFile: (path) => files.push(path) });
    expect(files).toEqual(Object.keys(contents));
    expect(manifest.files.map(({ verified }) => verified)).toEqual(['no', 'no']);
    expect(await installedModel('small', to)).toEqual(manifest);
  });

  it('is held against the catalogue where the catalogue has seen it', async () => {
    const server = await serveWhile(
      (request, response) => void response.end(`${request.url?.endsWith('x') ? '\u0008' : '{}'}`),
    );
    const known = { ...model, hub: { ...model.hub, verified: true } };
    const call = fetchModel(known, await newFolder(), { hub: server.url, wait: async () => {} });
    await expect(call).rejects.toMatchObject({ code: 'model-corrupt' });
  });
});

describe('the catalogue', () => {
  it.each(catalogueModels.map((each) => [each.id, each] as const))(
    'describes %s as the loader needs it',
    (_, each) => {
      const paths = each.copy.files.map((file) => file.path);
      for (const needed of [
        'config.json',
        'tokenizer.json',
        'tokenizer_config.json',
        'onnx/model_quantized.onnx',
      ]) {
        if (paths.length > 0) expect(paths).toContain(needed);
        expect(each.hub.files).toContain(needed);
      }
      expect(each.kind === 'embedder' ? each.embedding : each.generation).toBeDefined();
      for (const file of each.copy.files) expect(file.sha256).toMatch(/^[0-9a-f]{64}$/);
    },
  );

  const copies = catalogueModels.filter(({ copy }) => copy.files.length > 0);
  it.each(copies.map((each) => [each.id, each] as const))(
    'names the bytes of the copy of %s',
    async (id, each) => {
      const folder = fileURLToPath(new URL(`../../../../shared/models/${id}`, import.meta.url));
      if (!existsSync(folder)) {
        console.warn(`Not run: ${id} is not in ../shared/models`);
        return;
      }
      for (const { path, size, sha256 } of each.copy.files) {
        expect((await stat(join(folder, path))).size).toBe(size);
        if (size < 5_000_000)
          expect(
            createHash('sha256')
              .update(await readFile(join(folder, path)))
              .digest('hex'),
          ).toBe(sha256);
      }
    },
  );
});
