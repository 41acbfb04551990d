import type { Mode, StoreName, Transaction } from './indexeddb-schema.ts';
import { storeNames } from './indexeddb-schema.ts';
import { addVectorBlocks, readVectorBlocks } from './indexeddb-vectors.ts';
import { rowsOf } from './indexeddb-writes.ts';
import type { Snapshot } from './snapshot.ts';

/** Everything as it is at one moment: read within one transaction over all stores. */
export async function readSnapshot(
  transaction: Transaction<Mode>,
  options: { readonly vectors?: boolean; readonly answers?: boolean },
): Promise<Snapshot> {
  const all = <N extends StoreName>(name: N) => transaction.objectStore(name).getAll();
  const settings = transaction.objectStore('settings');
  const [names, values] = await Promise.all([settings.getAllKeys(), settings.getAll()]);
  return {
    documents: await all('documents'),
    keys: (await all('keys')).flatMap(({ records }) => records),
    versions: await all('versions'),
    revisions: await all('revisions'),
    queries: await all('queries'),
    pendingQueries: await all('pendingQueries'),
    runs: await all('runs'),
    batches: await all('batches'),
    journal: await all('journal'),
    settings: names.map((name, i) => ({ name, value: values[i] })),
    answers: options.answers ? await readAnswers(transaction) : [],
    vectors: options.vectors ? await readVectorBlocks(transaction) : [],
  };
}

async function readAnswers(transaction: Transaction<Mode>): Promise<Snapshot['answers']> {
  const store = transaction.objectStore('answers');
  const [hashes, answers] = await Promise.all([store.getAllKeys(), store.getAll()]);
  return hashes.map((hash, i) => ({ hash, answer: answers[i] }));
}

/** Puts a snapshot in the place of everything. */
export async function replaceAll(transaction: Transaction<'readwrite'>, next: Snapshot): Promise<void> {
  await Promise.all(storeNames.map((name) => transaction.objectStore(name).clear()));
  for (const name of [
    'documents',
    'versions',
    'revisions',
    'queries',
    'pendingQueries',
    'runs',
    'batches',
    'journal',
  ] as const) {
    const store = transaction.objectStore(name);
    await Promise.all(next[name].map((record) => store.add(record)));
  }
  const keys = transaction.objectStore('keys');
  const settings = transaction.objectStore('settings');
  const answers = transaction.objectStore('answers');
  await Promise.all(rowsOf(next.keys).map((row) => keys.add(row)));
  await Promise.all(next.settings.map(({ name, value }) => settings.add(value, name)));
  await Promise.all(next.answers.map(({ hash, answer }) => answers.add(answer, hash)));
  await addVectorBlocks(transaction, next.vectors);
}
