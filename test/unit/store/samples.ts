import type { Document } from '../../../src/corpus/types.ts';
import { makeExpansionKey, makeGeneratedKey } from '../../../src/keys/key-id.ts';
import type { EvolutionQuery, IndexVersion, KeyRecord, Revision, Usage } from '../../../src/keys/types.ts';
import type { Commit, IndexStore, JournalEntry, RunBatch, RunRecord } from '../../../src/store/types.ts';

export const usage: Usage = { calls: 2, cached: 1, inputTokens: 300, outputTokens: 40, milliseconds: 12.5 };

export const documents: readonly Document[] = [
  { id: 'tea', text: 'Steep the leaves for three minutes.', title: 'Tea' },
  {
    id: 'bread/rye',
    text: 'Rye needs sour dough.',
    metadata: { tags: ['bake', null, 1.5], constructor: { prototype: true } },
    source: { name: 'bread.md', headings: ['Bread', 'Rye'], start: 10, end: 31, modified: 1e12 },
  },
  { id: '搜索 🔎', text: 'A lone surrogate \ud800 and <b>HTML</b> \u0000 stay as they are.' },
];

export function generated(documentId: string, text: string, born = 1): KeyRecord {
  const key = makeGeneratedKey(documentId, { text, form: 'question' }, { by: 'reviser', revisionId: 'r1' });
  return { ...key, born, died: null };
}

export function expansion(documentId: string, terms: readonly string[], born = 1): KeyRecord {
  return { ...makeExpansionKey(documentId, terms), born, died: null };
}

export function query(id: string, kind: EvolutionQuery['kind'] = 'simulated'): EvolutionQuery {
  return { id, text: `what about ${id}?`, kind, sourceDocumentId: 'tea' };
}

export function version(number: number, rest: Partial<IndexVersion> = {}): IndexVersion {
  return { version: number, parent: number - 1, kind: 'iteration', at: 1e12 + number, ...rest };
}

export function revision(id: string, rest: Partial<Revision> = {}): Revision {
  const key = generated('tea', 'how long does tea draw?');
  return {
    id,
    runId: 'run',
    iteration: 0,
    documentId: 'tea',
    version: null,
    diagnosis: { shortfalls: [{ key: 'key_set', cause: 'no words of time' }], revision: 'say how long' },
    verdicts: [
      {
        keyId: key.id,
        text: key.text,
        form: 'question',
        isNew: true,
        specificity: { rivals: 2, passed: true },
        separation: { before: null, after: 0.25, passed: true },
        faithfulness: { score: 3, reason: 'all said', passed: true },
        passed: true,
      },
    ],
    accepted: false,
    stale: [],
    evidence: ['q1'],
    after: [{ id: key.id, documentId: key.documentId, kind: key.kind, text: key.text, origin: key.origin }],
    ...rest,
  };
}

export function commitOf(number: number, rest: Partial<Commit> = {}): Commit {
  return { version: version(number), born: [], died: [], revisions: [], queries: [], ...rest };
}

export function runRecord(rest: Partial<RunRecord> = {}): RunRecord {
  return {
    id: 'run',
    startedAt: 5,
    config: { seed: 0, roles: { judge: 'rules' } },
    status: 'running',
    iterations: 0,
    version: 0,
    ...rest,
  };
}

export function batchOf(iteration: number, runId = 'run'): RunBatch {
  return { runId, iteration, version: 0, queries: [query('q1')], heldOut: [query('q2')], usage };
}

export function journalEntry(iteration: number, group: number, runId = 'run'): JournalEntry {
  return {
    runId,
    iteration,
    version: 0,
    group,
    revisions: [revision(`${runId}.${iteration}.${group}`)],
    usage: { diagnose: usage },
    milliseconds: 3.25,
  };
}

/** A store with something of everything: two versions, a run under way, caches. */
export async function fill(store: IndexStore): Promise<void> {
  await store.putDocuments(documents);
  await store.putQueries([query('seen', 'observed'), query('waiting', 'observed')]);
  const old = generated('tea', 'tea time');
  await store.commit(
    commitOf(1, {
      version: version(1, { runId: 'run', iteration: 0 }),
      born: [old, generated('tea', 'how long does tea draw?'), expansion('bread/rye', ['sour', 'loaf'])],
      revisions: [
        revision('r1', { version: 1, accepted: true }),
        revision('r2', { skipped: 'no answer', diagnosis: null }),
      ],
      queries: [query('q1'), query('seen', 'observed')],
      run: runRecord({ iterations: 1, version: 1 }),
    }),
  );
  await store.commit(commitOf(2, { version: version(2, { kind: 'teaching' }), died: [old.id] }));
  await store.putBatch(batchOf(1));
  await store.putJournal(journalEntry(1, 0));
  await store.putJournal(journalEntry(1, 1));
  await store.putSetting('aggregate', { blend: 0.5, boost: 0.2 });
  await store.answers.put([{ hash: 'h1', answer: { text: 'yes', usage: { inputTokens: 1 } } }]);
  await store.vectors.put('minilm', [
    { hash: 'v1', vector: Float32Array.of(0.6, 0.8, 0) },
    { hash: 'v2', vector: Float32Array.of(0, 0, 1) },
  ]);
}

/** Everything that a store's methods tell, caches for the hashes of `fill` included. */
export async function contentOf(store: IndexStore) {
  return {
    documents: await store.documents(),
    keys: await store.keys(),
    versions: await store.versions(),
    current: await store.currentVersion(),
    revisions: await store.revisions(),
    queries: await store.queries(),
    pending: await store.pendingQueries(),
    run: await store.run('run'),
    unfinished: await store.unfinishedRun(),
    batches: await Promise.all([0, 1, 2].map((iteration) => store.batch('run', iteration))),
    journal: await Promise.all([0, 1, 2].map((iteration) => store.journal('run', iteration))),
    setting: await store.setting('aggregate'),
    answers: await store.answers.get(['h1', 'h2']),
    vectors: await store.vectors.get('minilm', ['v1', 'v2', 'v3']),
  };
}
