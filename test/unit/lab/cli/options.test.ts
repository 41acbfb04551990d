import { describe, expect, it } from 'vitest';
import { parseCommand } from '../../../../src/lab/cli/options.ts';

const parse = (line: string, environment = {}) => parseCommand(line.split(' ').filter(Boolean), environment);

describe('parseCommand', () => {
  it('fills in the defaults of evaluate', () => {
    expect(parse('evaluate --collection data/beaver')).toEqual({
      command: 'evaluate',
      collection: 'data/beaver',
      spec: {
        name: 'lab',
        store: 'memory',
        settings: { retriever: 'bm25', aggregate: { blend: 0.5, boost: 0.2 } },
        roles: 'extractive',
      },
      verbose: false,
    });
  });

  it('understands every flag of evolve', () => {
    const line =
      'evolve --collection c --retriever hybrid --embedder tiny --dtype fp32 --device webgpu --aggregate 0.3,0.1 ' +
      '--limit-queries 5 --run r.txt --json j.json --verbose --roles openai:http://localhost:8080#m --judge model ' +
      '--iterations 2 --batch 64 --depth 20 --key-budget 6 --order paper --queries q.jsonl --minutes .5 --calls 9 ' +
      '--tokens 1000 --seed 7 --no-guard --no-expansion --prune --full-verdicts';
    expect(parse(line, { SELF_INDEX_API_KEY: 'secret' })).toEqual({
      command: 'evolve',
      collection: 'c',
      spec: {
        name: 'lab',
        store: 'memory',
        settings: { retriever: 'hybrid', aggregate: { blend: 0.3, boost: 0.1 }, depth: 20, keyBudget: 6 },
        embedder: { model: 'tiny', dtype: 'fp32', device: 'webgpu' },
        roles: 'openai:http://localhost:8080#m',
        judge: 'model',
        apiKey: 'secret',
      },
      evolve: {
        iterations: 2,
        batch: 64,
        order: 'paper',
        seed: 7,
        budget: { calls: 9, tokens: 1000, minutes: 0.5 },
        guard: false,
        expansion: false,
        prune: true,
        fullVerdicts: true,
      },
      limitQueries: 5,
      queries: 'q.jsonl',
      run: 'r.txt',
      json: 'j.json',
      verbose: true,
    });
  });

  it('brings an embedder where the retriever or the judge needs one', () => {
    const embedder = { model: 'all-MiniLM-L6-v2', dtype: 'q8', device: 'wasm' };
    expect(parse('evaluate --collection c --retriever dense')).toMatchObject({ spec: { embedder } });
    expect(parse('evaluate --collection c --retriever hybrid --embedder static:table')).toMatchObject({
      spec: { embedder: { kind: 'static', model: 'table' } },
    });
    expect(parse('evolve --collection c --roles transformers:m --judge embedder')).toMatchObject({
      spec: { embedder, generator: { device: 'wasm' } },
    });
  });

  it('starts a generator where the roles run one, and says how to ask it', () => {
    const generator = { device: 'wasm' };
    for (const roles of ['transformers:m', 'wllama:a/b.gguf', 'webllm:m'])
      expect(parse(`evolve --collection c --roles ${roles} --prompts compact`)).toMatchObject({
        spec: { roles, generator, prompts: 'compact' },
      });
    expect(parse('evolve --collection c --roles prompt-api')).not.toHaveProperty('spec.generator');
    expect(() => parse('evolve --collection c --roles wllama:a.gguf --prompts short')).toThrow('full');
  });

  it.each(['', 'help', '--help', 'evolve --help', 'evaluate -h'])('shows the help for %j', (line) => {
    expect(parse(line)).toEqual({ command: 'help' });
  });

  it('takes files for the table', () => {
    expect(parse('table a.json b.json')).toEqual({ command: 'table', files: ['a.json', 'b.json'] });
  });

  it.each([
    ['dance', /no command "dance"/],
    ['evaluate', /--collection is missing/],
    ['evaluate --collection c --colour red', /--colour/],
    ['evaluate --collection c stray', /stray/],
    ['evaluate --collection c --roles extractive', /--roles/],
    ['evaluate --collection', /--collection/],
    ['evaluate --collection c --retriever bm52', /--retriever is one of bm25, dense, hybrid, not "bm52"/],
    ['evaluate --collection c --aggregate min', /--aggregate is max, blend or two numbers/],
    ['evaluate --collection c --aggregate 1,-1', /--aggregate is max, blend or two numbers/],
    ['evaluate --collection c --limit-queries 0', /--limit-queries is a whole number of at least 1, not "0"/],
    ['evolve --collection c', /--roles is missing/],
    ['evolve --collection c --roles magic', /no roles named "magic"/],
    ['evolve --collection c --roles extractive --minutes 0', /--minutes is a number above 0/],
    ['evolve --collection c --roles extractive --iterations 1.5', /--iterations is a whole number/],
    ['evolve --collection c --roles extractive --seed x', /--seed is a whole number/],
  ])('refuses %j with a sentence', (line, problem) => {
    expect(() => parse(line)).toThrow(problem);
  });
});

describe('judges', () => {
  it('asks for an embedder and a model only where a judge needs them', () => {
    expect(parse('judges --collection c --judges rules')).toEqual({
      command: 'judges',
      collection: 'c',
      request: { judges: ['rules'], pairs: 400, seed: 0, scorer: { dtype: 'q8', device: 'wasm' } },
      verbose: false,
    });
    const embedder = { model: 'all-MiniLM-L6-v2', dtype: 'q8', device: 'wasm' };
    expect(parse('judges --collection c')).toMatchObject({
      request: { judges: ['rules', 'embedder', 'roundtrip'], embedder, pairs: 400 },
    });
    expect(parse('judges --collection c --model Tiny-1B --seed 3 --json j.json')).toEqual({
      command: 'judges',
      collection: 'c',
      request: {
        judges: ['rules', 'embedder', 'roundtrip', 'prompted', 'claims'],
        pairs: 40,
        seed: 3,
        embedder,
        scorer: { dtype: 'q8', device: 'wasm' },
        model: 'transformers:Tiny-1B',
        generator: { device: 'wasm' },
      },
      json: 'j.json',
      verbose: false,
    });
    const line = 'judges --collection c --judges rules+claims --model openai:http://h/v1#m --pairs 10';
    expect(parse(line, { SELF_INDEX_API_KEY: 'secret' })).toMatchObject({
      request: { judges: ['rules+claims'], model: 'openai:http://h/v1#m', apiKey: 'secret', pairs: 10 },
    });
  });

  it('refuses judges that are not known or have no model', () => {
    for (const line of ['--judges oracle', '--judges claims', '--judges rules,', '--roles extractive'])
      expect(() => parse(`judges --collection c ${line}`)).toThrow(
        expect.objectContaining({ code: 'invalid-argument' }) as Error,
      );
  });

  it('take part in evolve, with the embedder that they need', () => {
    expect(parse('evolve --collection c --roles extractive --judge rules+roundtrip')).toMatchObject({
      spec: { judge: 'rules+roundtrip', embedder: { model: 'all-MiniLM-L6-v2' } },
    });
    expect(() => parse('evolve --collection c --roles extractive --judge claims')).toThrow('language model');
    expect(() => parse('evolve --collection c --roles extractive --judge nli:m')).toThrow('needs a worker');
    expect(() => parse('evolve --collection c --roles extractive --judge roundtrip:bm25')).toThrow('bm25');
  });
});
