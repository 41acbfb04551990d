/**
 * Plain data of the evolving index (design.md §2): keys with lifetimes, what retrieval said about a document,
 * what was diagnosed, proposed and decided. Pure functions over them live beside this file.
 */

/** `original` is the document's own text; `generated` keys pass the gate; the `expansion` key is for BM25 alone. */
export type KeyKind = 'original' | 'generated' | 'expansion';

/** The form of a generated key, shown to people ("from a heading", "a question", …). */
export type KeyForm =
  | 'text'
  | 'question'
  | 'description'
  | 'sentence'
  | 'heading'
  | 'identifier'
  | 'acronym'
  | 'passage'
  | 'search'
  | 'terms';

/** Where a key came from. */
export interface KeyOrigin {
  /** `document`: the original text; `reviser`: a role; `teaching`: a person's click; `expansion`: computed; `person`: typed by hand. */
  readonly by: 'document' | 'reviser' | 'teaching' | 'expansion' | 'person';
  readonly form: KeyForm;
  /** The revision that brought it in; absent for original and expansion keys. */
  readonly revisionId?: string;
}

/**
 * A text that the retriever matches. Its id is `${documentId}\u001f${hash of kind and text}`, so one text of one
 * document always has one id, also when it is born again after a rollback.
 */
export interface IndexKey {
  readonly id: string;
  readonly documentId: string;
  readonly kind: KeyKind;
  /** For `expansion`: analysed terms joined by single spaces. */
  readonly text: string;
  readonly origin: KeyOrigin;
}

/** A key's presence in the index: alive in every version v with born ≤ v < died. A key born again has a second record. */
export interface KeyRecord extends IndexKey {
  readonly born: number;
  /** null while it lives. */
  readonly died: number | null;
}

/** K(d): all that represents one document in one version. */
export interface KeySet {
  readonly documentId: string;
  readonly original: IndexKey;
  /** At most keyBudget − 1, in the order in which they were accepted. */
  readonly generated: readonly IndexKey[];
  readonly expansion?: IndexKey;
}

/** observed: typed by a person; simulated: made by the simulator; external: supplied in a file. */
export type QueryKind = 'observed' | 'simulated' | 'external';

export interface EvolutionQuery {
  readonly id: string;
  readonly text: string;
  readonly kind: QueryKind;
  /** The document it was made from (simulated) or the one that was opened (observed), where known. */
  readonly sourceDocumentId?: string;
}

/** A key retrieved for a query: rank from 1. */
export interface RetrievedKey {
  readonly keyId: string;
  readonly documentId: string;
  readonly rank: number;
  readonly score: number;
}

/** C_k: which keys of other documents were retrieved by the same queries as key k, and by how many. */
export interface CoRetrievalProfile {
  readonly keyId: string;
  /** Frequency descending, ties by key id. */
  readonly with: readonly {
    readonly keyId: string;
    readonly documentId: string;
    readonly text: string;
    readonly count: number;
  }[];
}

/** One retrieval of one of the document's keys. */
export interface FeedbackRow {
  readonly query: EvolutionQuery;
  readonly keyId: string;
  readonly rank: number;
  readonly score: number;
  /** Rank (from 1) of this document for the query, by document score; 0 where it is beyond the depth. */
  readonly documentRank: number;
}

/** All that one iteration's retrieval says about one document (Algorithm 2). */
export interface FeedbackRecord {
  readonly documentId: string;
  readonly title?: string;
  readonly text: string;
  readonly headings?: readonly string[];
  readonly keys: KeySet;
  /** One per current text key (original and generated), in the order of `textKeys(keys)`; empty where not retrieved. */
  readonly profiles: readonly CoRetrievalProfile[];
  readonly rows: readonly FeedbackRow[];
  /** Queries whose known source is this document but which did not retrieve it within the depth. */
  readonly missed: readonly EvolutionQuery[];
}

/** Stands for the whole key set where a diagnosis concerns its coverage. */
export const wholeKeySet = 'key_set';

export interface Shortfall {
  /** A key's id, or `wholeKeySet`. */
  readonly key: string;
  readonly cause: string;
}

export interface Diagnosis {
  readonly shortfalls: readonly Shortfall[];
  /** Guidance for the reviser, in words. */
  readonly revision: string;
}

export interface ProposedKey {
  readonly text: string;
  readonly form: KeyForm;
}

/** What the reviser answers: ids of generated keys to keep, and new or rewritten keys. */
export interface Proposal {
  readonly keep: readonly string[];
  readonly revised: readonly ProposedKey[];
}

export type Criterion = 'faithfulness' | 'specificity' | 'separation';

/** The judge's word on one key. */
export interface FaithfulnessScore {
  readonly score: 0 | 1 | 2 | 3;
  readonly reason?: string;
  /**
   * What the score was made of, where the judge knows: higher is better, on a scale of the judge's own. For measuring judges;
   * a verdict does not keep it.
   */
  readonly value?: number;
}

/** Per generated key of a proposal. A criterion that was not computed, because a cheaper one failed, is absent. */
export interface Verdict {
  readonly keyId: string;
  readonly text: string;
  readonly form: KeyForm;
  readonly isNew: boolean;
  readonly specificity?: { readonly rivals: number; readonly passed: boolean };
  readonly separation?: {
    readonly before: number | null;
    readonly after: number | null;
    readonly passed: boolean;
  };
  readonly faithfulness?: Omit<FaithfulnessScore, 'value'> & { readonly passed: boolean };
  readonly passed: boolean;
  /** The first criterion that failed. */
  readonly failed?: Criterion;
}

/** The record of one document's turn in one iteration, accepted or not. */
export interface Revision {
  readonly id: string;
  readonly runId: string;
  readonly iteration: number;
  readonly documentId: string;
  /** The version that it produced when accepted; null when nothing was changed. */
  readonly version: number | null;
  readonly diagnosis: Diagnosis | null;
  readonly verdicts: readonly Verdict[];
  readonly accepted: boolean;
  /** Kept keys that failed although the set stayed as it was. */
  readonly stale: readonly string[];
  /** Why a role's answer could not be used, in words. */
  readonly skipped?: string;
  /** Ids of the queries whose retrieval was the evidence. */
  readonly evidence: readonly string[];
  /** Text keys (original excluded) after this turn; what the commit applies. */
  readonly after: readonly IndexKey[];
}

/** The state of the index after an iteration; version 0 has original keys alone. */
export interface IndexVersion {
  readonly version: number;
  readonly parent: number | null;
  readonly kind: 'initial' | 'iteration' | 'rollback' | 'teaching' | 'edit';
  /** Milliseconds since 1970. */
  readonly at: number;
  /** For a rollback: the version whose keys it restores. */
  readonly restores?: number;
  readonly runId?: string;
  readonly iteration?: number;
  /** What happened in it; see evolve/. */
  readonly summary?: IterationSummary;
}

/** Calls and tokens of one stage. */
export interface Usage {
  readonly calls: number;
  /** Answers that came from the cache: they cost nothing. */
  readonly cached: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly milliseconds: number;
}

export type Stage =
  'simulate' | 'feedback' | 'diagnose' | 'revise' | 'validate' | 'expand' | 'guard' | 'commit';

/** A held-out query that an iteration made worse, and what overtook its source document. */
export interface WorseQuery {
  readonly query: string;
  readonly documentId: string;
  /** Rank of the source document, from 1; 0 beyond the measured depth. */
  readonly before: number;
  readonly after: number;
  /** The document that newly stands above it, and the key with which it does. */
  readonly overtakenBy?: { readonly documentId: string; readonly keyId: string; readonly keyText: string };
}

export interface GuardReport {
  /** Held-out queries measured. */
  readonly queries: number;
  /** Mean nDCG@10 of the known source document, before and after. */
  readonly before: number;
  readonly after: number;
  /**
   * The same of the held-out queries in every other of their words, under the generated keys alone; absent where there were none,
   * and in older versions.
   */
  readonly shortened?: { readonly before: number; readonly after: number };
  readonly tolerance: number;
  readonly held: boolean;
  /** What was left out so that the rest could stand; absent when everything stood. */
  readonly undone?: 'all' | 'expansion' | 'generated';
  /** What got worse under the changes that were tried first; at most 20. */
  readonly worse: readonly WorseQuery[];
}

export interface IterationSummary {
  readonly queries: number;
  readonly records: number;
  readonly visited: number;
  readonly diagnosed: number;
  readonly accepted: number;
  /** New keys refused, by the first criterion that failed. */
  readonly rejected: Readonly<Record<Criterion, number>>;
  readonly skipped: number;
  readonly newKeys: number;
  readonly droppedKeys: number;
  readonly expansionKeys: number;
  readonly usage: Readonly<Partial<Record<Stage, Usage>>>;
  readonly guard?: GuardReport;
  /** Why it stopped before its last record: a budget, the person, or nothing. */
  readonly stoppedBy?: 'calls' | 'tokens' | 'minutes' | 'signal' | 'guard';
}
