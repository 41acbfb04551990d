import { resolveProposal } from '../keys/proposal.ts';
import type { EvolutionQuery, FeedbackRecord, Revision } from '../keys/types.ts';
import { lessonOf } from '../roles/teaching.ts';
import type { IndexStore } from '../store/types.ts';
import { bornRecords, generatedDelta } from './changes.ts';
import { competingKeys } from './competitors.ts';
import { collectFeedback } from './feedback.ts';
import { gate } from './gate.ts';
import type { IndexState } from './state.ts';
import type { IndexSettings, Teaching } from './types.ts';
import { validate } from './validate.ts';

const teachingRun = 'teaching';

export interface Click {
  readonly query: string;
  readonly documentId: string;
  /** From 1, as the person saw it. */
  readonly rank: number;
  readonly state: IndexState;
  readonly store: IndexStore;
  readonly settings: IndexSettings;
  readonly now: number;
}

/**
 * Teaching by clicks (design.md §5): the search is an observed query with a known answer, and its words are a proposal
 * that goes through specificity, separation and the gate like any other. Nobody is asked whether the document
 * supports them: the person who opened it says so.
 * @returns null where there is nothing to learn (`lessonOf`)
 */
export async function teach(click: Click): Promise<Teaching | null> {
  const { documentId, rank, state, store, settings, now } = click;
  const keys = state.keySets.get(documentId);
  const limit = settings.keyBudget - 1;
  const lesson = keys && lessonOf({ query: click.query, rank, keys, limit });
  if (!lesson) return null;

  const { query, diagnosis } = lesson;
  const iteration = state.version;
  const id = `${teachingRun}/${iteration}/${query.id}`;
  const { fresh, kept } = resolveProposal(keys, lesson.proposal, limit, { by: 'teaching', revisionId: id });
  await store.putQueries([query]);
  const record = await recordOf(query, state, settings.depth);
  const competitors = record ? competingKeys(record, diagnosis) : [];
  const [{ verdicts }] = await validate(
    [{ documentId, documentText: keys.original.text, keys, competitors, kept: [], fresh, vouched: true }],
    {
      retriever: state.retriever,
      judge: unasked,
      view: state.view,
      depth: settings.depth,
      fullVerdicts: false,
    },
  );
  const decision = gate(keys, [], fresh, verdicts);
  const version = decision.accepted ? state.version + 1 : null;
  const after = decision.accepted ? [...kept, ...decision.generated] : keys.generated;
  const revision: Revision = {
    id,
    runId: teachingRun,
    iteration,
    documentId,
    version,
    diagnosis,
    verdicts,
    accepted: decision.accepted,
    stale: [],
    evidence: [query.id],
    after,
  };
  if (version === null) await store.putRevisions([revision]);
  else {
    const delta = generatedDelta(keys, after);
    await store.commit({
      version: { version, parent: state.version, kind: 'teaching', at: now },
      born: bornRecords(delta, version),
      died: delta.died.map((key) => key.id),
      revisions: [revision],
      queries: [],
    });
    await state.apply(delta);
    state.advance(version);
  }
  return { query, revision, version };
}

/** Every click that became a proposal, accepted or not, oldest first. */
export async function listTeachings(store: IndexStore): Promise<Teaching[]> {
  const revisions = await store.revisions({ runId: teachingRun });
  const queries = new Map(
    [...(await store.queries()), ...(await store.pendingQueries())].map((q) => [q.id, q]),
  );
  return revisions.flatMap((revision) => {
    const query = queries.get(revision.evidence[0]);
    return query ? [{ query, revision, version: revision.version }] : [];
  });
}

async function recordOf(
  query: EvolutionQuery,
  state: IndexState,
  depth: number,
): Promise<FeedbackRecord | undefined> {
  const hits = await state.retriever.topKeys([query.text], depth);
  const snapshot = { documents: state.documents, keySets: state.keySets };
  const records = await collectFeedback([query], hits, snapshot);
  return records.find((record) => record.documentId === query.sourceDocumentId);
}

const unasked = {
  id: 'the person who clicked',
  faithfulness: async () => [],
  answerability: async () => [],
};
