import { mapPaced } from '../base/pacer.ts';
import { compareIds } from '../base/order.ts';
import type { Analyser, Document } from '../corpus/types.ts';
import { keySetsAt } from '../keys/lifetimes.ts';
import { allKeys } from '../keys/text-keys.ts';
import type { IndexKey, KeyRecord, KeySet } from '../keys/types.ts';
import type { Expansion } from '../retrieve/bm25/expand.ts';
import type { ExpansionMemory } from '../retrieve/bm25/expansion-memory.ts';
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
}

/** One version of an index in memory, ready to be searched. */
export class IndexState {
  private expansion: Expansion | undefined;

  private constructor(
    /** In order of id. */
    readonly documents: ReadonlyMap<string, Document>,
    private readonly sets: Map<string, KeySet>,
    private current: number,
    readonly analyser: Analyser,
    readonly view: CollectionView,
    readonly retriever: Retriever,
    private readonly inherited: ExpansionMemory | undefined,
  ) {}

  /**
   * @param version which version to hold; default: the store's current one
   * @param memory of the expansion keys of a former state of the same index
   */
  static async load(
    store: IndexStore,
    machinery: Machinery,
    aggregate: Aggregate,
    {
      version,
      memory,
      signal,
    }: { version?: number; memory?: ExpansionMemory | undefined; signal?: AbortSignal } = {},
  ): Promise<IndexState> {
    const documents = (await store.documents()).sort((a, b) => compareIds(a.id, b.id));
    const held = version ?? (await store.currentVersion());
    return IndexState.make(documents, await store.keys(), held, machinery, aggregate, { memory, signal });
  }

  static async make(
    documents: readonly Document[],
    records: readonly KeyRecord[],
    version: number,
    machinery: Machinery,
    aggregate: Aggregate,
    { memory, signal }: { memory?: ExpansionMemory | undefined; signal?: AbortSignal | undefined } = {},
  ): Promise<IndexState> {
    const sets = keySetsAt(records, documents, version);
    const analyser = machinery.makeAnalyser(documents);
    const keys = [...sets.values()].flatMap((set) => allKeys(set));
    const retriever = await machinery.makeRetriever(keys, analyser, aggregate, signal);
    const view = await machinery.makeView(documents, analyser, signal);
    const byId = new Map(documents.map((document) => [document.id, document]));
    return new IndexState(byId, sets, version, analyser, view, retriever, memory);
  }

  get version(): number {
    return this.current;
  }

  get keySets(): ReadonlyMap<string, KeySet> {
    return this.sets;
  }

  /** The expansion keys that the documents call for; they depend on the original texts alone. */
  async wantedExpansionKeys(signal?: AbortSignal): Promise<ReadonlyMap<string, IndexKey>> {
    this.expansion ??= (await this.retriever.expansion(this.inherited, signal)) ?? undefined;
    return this.expansion?.keys ?? new Map();
  }

  /** What a state with other documents can build on. */
  get expansionMemory(): ExpansionMemory | undefined {
    return this.expansion?.memory ?? this.inherited;
  }

  /**
   * Makes the retriever and the key sets follow, at once to whoever searches meanwhile; the version stays until
   * `advance`.
   */
  async apply(delta: KeyDelta, signal?: AbortSignal): Promise<void> {
    const changed = await this.changedSets(delta, signal);
    await this.retriever.update({ added: delta.born, removed: delta.died }, signal);
    for (const set of changed) this.sets.set(set.documentId, set);
  }

  private async changedSets(delta: KeyDelta, signal?: AbortSignal): Promise<KeySet[]> {
    const died = new Set(delta.died.map((key) => key.id));
    const touched = new Set([...delta.born, ...delta.died].map((key) => key.documentId));
    const born = new Map<string, IndexKey[]>();
    // By id, as a reloaded index has keys of one birth: order must not depend on how the state was reached.
    for (const key of [...delta.born].sort((a, b) => compareIds(a.id, b.id))) {
      const siblings = born.get(key.documentId);
      if (siblings) siblings.push(key);
      else born.set(key.documentId, [key]);
    }
    const sets = await mapPaced(
      [...touched],
      (documentId) => {
        const set = this.sets.get(documentId);
        return set ? [changedSet(set, died, born.get(documentId) ?? [])] : [];
      },
      signal,
    );
    return sets.flat();
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
