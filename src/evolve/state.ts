import { compareIds } from '../base/order.ts';
import type { Analyser, Document } from '../corpus/types.ts';
import { keySetsAt } from '../keys/lifetimes.ts';
import { allKeys } from '../keys/text-keys.ts';
import type { IndexKey, KeyRecord, KeySet } from '../keys/types.ts';
import type { Aggregate, CollectionView, Retriever } from '../retrieve/types.ts';
import type { IndexStore } from '../store/types.ts';
import type { KeyDelta } from './changes.ts';

/** What an index is made with; chosen once, by whoever opens it. */
export interface Machinery {
  /** One analyser for a whole collection: its vocabulary decides how run-together names split. */
  makeAnalyser(documents: readonly Document[]): Analyser;
  makeRetriever(
    keys: readonly IndexKey[],
    analyser: Analyser,
    aggregate: Aggregate,
    signal?: AbortSignal,
  ): Promise<Retriever>;
  makeView(documents: readonly Document[], analyser: Analyser, signal?: AbortSignal): Promise<CollectionView>;
  /** Expansion keys by document id; documents without a telling neighbourhood have none. */
  makeExpansionKeys(
    documents: readonly Document[],
    analyser: Analyser,
    signal?: AbortSignal,
  ): Promise<ReadonlyMap<string, IndexKey>>;
}

/** One version of an index in memory, ready to be searched. */
export class IndexState {
  private expansion: ReadonlyMap<string, IndexKey> | undefined;

  private constructor(
    /** In order of id. */
    readonly documents: ReadonlyMap<string, Document>,
    private readonly sets: Map<string, KeySet>,
    private current: number,
    readonly analyser: Analyser,
    readonly view: CollectionView,
    readonly retriever: Retriever,
    private readonly machinery: Machinery,
  ) {}

  /** @param version which version to hold; default: the store's current one */
  static async load(
    store: IndexStore,
    machinery: Machinery,
    aggregate: Aggregate,
    { version, signal }: { version?: number; signal?: AbortSignal } = {},
  ): Promise<IndexState> {
    const documents = (await store.documents()).sort((a, b) => compareIds(a.id, b.id));
    const held = version ?? (await store.currentVersion());
    return IndexState.make(documents, await store.keys(), held, machinery, aggregate, signal);
  }

  static async make(
    documents: readonly Document[],
    records: readonly KeyRecord[],
    version: number,
    machinery: Machinery,
    aggregate: Aggregate,
    signal?: AbortSignal,
  ): Promise<IndexState> {
    const sets = keySetsAt(records, documents, version);
    const analyser = machinery.makeAnalyser(documents);
    const keys = [...sets.values()].flatMap((set) => allKeys(set));
    const retriever = await machinery.makeRetriever(keys, analyser, aggregate, signal);
    const view = await machinery.makeView(documents, analyser, signal);
    const byId = new Map(documents.map((document) => [document.id, document]));
    return new IndexState(byId, sets, version, analyser, view, retriever, machinery);
  }

  get version(): number {
    return this.current;
  }

  get keySets(): ReadonlyMap<string, KeySet> {
    return this.sets;
  }

  /** The expansion keys that the documents call for; they depend on the original texts alone. */
  async wantedExpansionKeys(signal?: AbortSignal): Promise<ReadonlyMap<string, IndexKey>> {
    const { machinery, documents, analyser } = this;
    this.expansion ??= await machinery.makeExpansionKeys([...documents.values()], analyser, signal);
    return this.expansion;
  }

  /** Makes the retriever and the key sets follow; the version stays until `advance`. */
  async apply(delta: KeyDelta, signal?: AbortSignal): Promise<void> {
    await this.retriever.update({ added: delta.born, removed: delta.died }, signal);
    const died = new Set(delta.died.map((key) => key.id));
    const touched = new Set([...delta.born, ...delta.died].map((key) => key.documentId));
    const born = new Map<string, IndexKey[]>();
    // By id, as a reloaded index has keys of one birth: order must not depend on how the state was reached.
    for (const key of [...delta.born].sort((a, b) => compareIds(a.id, b.id))) {
      const siblings = born.get(key.documentId);
      if (siblings) siblings.push(key);
      else born.set(key.documentId, [key]);
    }
    for (const documentId of touched) {
      const set = this.sets.get(documentId);
      if (set) this.sets.set(documentId, changedSet(set, died, born.get(documentId) ?? []));
    }
  }

  advance(version: number): void {
    this.current = version;
  }

  dispose(): Promise<void> {
    return this.retriever.dispose();
  }
}

function changedSet(set: KeySet, died: ReadonlySet<string>, born: readonly IndexKey[]): KeySet {
  const stays = set.expansion && !died.has(set.expansion.id) ? set.expansion : undefined;
  const expansion = born.find((key) => key.kind === 'expansion') ?? stays;
  const generated = [
    ...set.generated.filter((key) => !died.has(key.id)),
    ...born.filter((key) => key.kind === 'generated'),
  ];
  return { documentId: set.documentId, original: set.original, generated, ...(expansion && { expansion }) };
}
