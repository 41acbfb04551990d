import { describe, expect, it } from 'vitest';
import { chooseFiles, makePlan, nameOf, parseAddress } from '../../../src/models/source.ts';

describe('what a person types as a place', () => {
  it.each([
    ['Xenova/bge-small-en-v1.5', 'https://huggingface.co', 'Xenova/bge-small-en-v1.5', 'main'],
    ['owner/name@abc123', 'https://huggingface.co', 'owner/name', 'abc123'],
    ['https://huggingface.co/owner/name', 'https://huggingface.co', 'owner/name', 'main'],
    [' https://huggingface.co/owner/name/tree/v2/ ', 'https://huggingface.co', 'owner/name', 'v2'],
    ['http://hub.local:8080/owner/name/tree/main', 'http://hub.local:8080', 'owner/name', 'main'],
  ])('%s is a repository', (text, hub, repository, revision) => {
    const source = parseAddress(text);
    expect(source).toEqual({ kind: 'hub', hub, repository, revision });
    expect(nameOf(source)).toBe(repository.split('/')[1]);
  });

  it.each([
    ['https://my.server/models/minilm', 'https://my.server/models/minilm/'],
    ['http://localhost:8080/a/b/c/?x=1#y', 'http://localhost:8080/a/b/c/'],
  ])('%s is a folder', (text, base) => {
    expect(parseAddress(text)).toEqual({ kind: 'address', base });
  });

  it.each(['', 'minilm', 'ftp://x/y', 'file:///etc', 'javascript:alert(1)', 'https://', 'a/b/c'])(
    '%j is refused',
    (text) => {
      expect(() => parseAddress(text)).toThrow(expect.objectContaining({ code: 'invalid-argument' }));
    },
  );
});

describe('the files of a repository that run here', () => {
  const tokenizer = ['config.json', 'tokenizer.json', 'tokenizer_config.json'];

  it('are int8 weights rather than larger ones, with what says how to use them', () => {
    expect(
      chooseFiles([
        ...tokenizer,
        'README.md',
        '1_Pooling/config.json',
        'onnx/model.onnx',
        'onnx/model_quantized.onnx',
        'pytorch_model.bin',
      ]),
    ).toEqual([...tokenizer, '1_Pooling/config.json', 'onnx/model_quantized.onnx']);
  });

  it('take the data beside large weights', () => {
    const files = [...tokenizer, 'onnx/model.onnx', 'onnx/model.onnx_data', 'onnx/model.onnx_data_1'];
    expect(chooseFiles(files)).toEqual(files);
  });

  it('are one GGUF file, a table of vectors, or MLC’s shards', () => {
    expect(chooseFiles(['a.Q8_0.gguf', 'a.Q4_K_M.gguf', 'README.md'])).toEqual(['a.Q4_K_M.gguf']);
    expect(chooseFiles(['config.json', 'model.safetensors', 'tokenizer.json', 'x.py'])).toEqual([
      'model.safetensors',
      'tokenizer.json',
      'config.json',
    ]);
    const mlc = ['mlc-chat-config.json', 'ndarray-cache.json', 'params_shard_0.bin', 'tokenizer.json'];
    expect(chooseFiles([...mlc, 'README.md'])).toEqual(mlc);
  });

  it('are none of a model in another format', () => {
    expect(chooseFiles(['config.json', 'pytorch_model.bin', 'tokenizer.json'])).toEqual([]);
  });
});

describe('a plan', () => {
  const commit = 'a'.repeat(40);
  const sha256 = 'b'.repeat(64);
  const git = 'c'.repeat(40);
  const hub = { kind: 'hub', hub: 'https://hub.example', repository: 'o/n', revision: 'main' } as const;

  it('takes sizes and hashes from the hub, at the commit that the hub names', async () => {
    const asked: string[] = [];
    const plan = await makePlan({ id: 'n', source: hub }, async (url) => {
      asked.push(url);
      return {
        sha: commit,
        siblings: [
          { rfilename: '../up.json', size: 1, blobId: git },
          { rfilename: 'config.json', size: 10, blobId: git },
          { rfilename: 'tokenizer.json', size: 20, blobId: git },
          { rfilename: 'tokenizer_config.json', size: 30 },
          { rfilename: 'onnx/model.onnx', size: 40, blobId: git, lfs: { sha256, size: 40 } },
        ],
      };
    });
    expect(asked).toEqual(['https://hub.example/api/models/o/n/revision/main?blobs=true']);
    expect(plan.revision).toBe(commit);
    const at = `https://hub.example/o/n/resolve/${commit}`;
    expect(plan.files).toEqual([
      { path: 'config.json', size: 10, gitSha1: git, by: 'declared', url: `${at}/config.json` },
      { path: 'tokenizer.json', size: 20, gitSha1: git, by: 'declared', url: `${at}/tokenizer.json` },
      { path: 'tokenizer_config.json', size: 30, by: 'declared', url: `${at}/tokenizer_config.json` },
      { path: 'onnx/model.onnx', size: 40, sha256, by: 'declared', url: `${at}/onnx/model.onnx` },
    ]);
  });

  it.each([
    ['no such repository', undefined],
    ['one without a model that runs here', { siblings: [{ rfilename: 'model.pt', size: 1 }] }],
  ])('is refused for %s', async (_, answer) => {
    await expect(makePlan({ id: 'n', source: hub }, async () => answer)).rejects.toMatchObject({
      code: 'model-not-found',
    });
  });

  it('asks nobody where the catalogue knows the files', async () => {
    const plan = await makePlan(
      {
        id: 'm',
        licence: 'MIT',
        source: { kind: 'address', base: '/models/m/' },
        known: [{ path: 'onnx/a b.onnx', size: 1, sha256 }],
      },
      () => Promise.reject(new Error('nobody is asked')),
    );
    expect(plan).toEqual({
      id: 'm',
      licence: 'MIT',
      source: { kind: 'address', base: '/models/m/' },
      files: [{ path: 'onnx/a b.onnx', size: 1, sha256, by: 'known', url: '/models/m/onnx/a%20b.onnx' }],
    });
  });

  it('reads the list that `npm run models` leaves in a folder, else tries the usual names', async () => {
    const source = { kind: 'address', base: 'https://own.example/m/' } as const;
    const files = [{ path: 'config.json', size: 3, sha256, verified: 'known' }];
    const listed = await makePlan({ id: 'm', source }, async () => ({ id: 'm', files }));
    expect(listed.files).toEqual([
      { path: 'config.json', size: 3, sha256, by: 'declared', url: 'https://own.example/m/config.json' },
    ]);
    const guessed = await makePlan({ id: 'm', source }, async () => undefined);
    expect(guessed.files.filter(({ optional }) => !optional).map(({ path }) => path)).toEqual([
      'config.json',
      'tokenizer.json',
      'tokenizer_config.json',
      'onnx/model_quantized.onnx',
    ]);
  });
});
