import { resolveProposal } from '../keys/proposal.ts';
import type { Diagnosis, FeedbackRecord, Proposal, Revision, Stage, Usage } from '../keys/types.ts';
import type { Outcome, Roles } from '../roles/types.ts';
import { competingKeys, type Competitor } from './competitors.ts';
import { gate } from './gate.ts';
import type { RunConfig } from './run-config.ts';
import type { IndexState } from './state.ts';
import { sumUsage } from '../keys/usage.ts';
import type { StageUsage } from './usage.ts';
import { validate, type ValidationTask } from './validate.ts';

/** Competitors shown to the reviser, most often co-retrieved first; separation uses all of them. */
const shownCompetitors = 20;
const mostEvidence = 32;

export interface GroupContext {
  readonly state: IndexState;
  readonly roles: Roles;
  readonly config: RunConfig;
  readonly runId: string;
  readonly iteration: number;
  readonly signal?: AbortSignal;
  readonly clock: () => number;
  readonly onStage?: (stage: Stage) => void;
}

export interface GroupResult {
  /** One per document with a shortfall or with an answer that could not be used. */
  readonly revisions: readonly Revision[];
  readonly usage: StageUsage;
}

interface Target {
  readonly record: FeedbackRecord;
  readonly diagnosis: Diagnosis;
  readonly competitors: readonly Competitor[];
}

/** Diagnose, revise, validate and gate one group of documents (Algorithm 1, lines 4–9). Reads the snapshot alone. */
export async function reviseGroup(
  records: readonly FeedbackRecord[],
  context: GroupContext,
): Promise<GroupResult> {
  const { state, roles, config, signal, clock, onStage } = context;
  const usage: Partial<Record<Stage, Usage>> = {};
  const timed = async <T>(stage: Stage, work: () => Promise<T>, cost: (result: T) => Usage): Promise<T> => {
    onStage?.(stage);
    const start = clock();
    const result = await work();
    usage[stage] = { ...cost(result), milliseconds: clock() - start };
    return result;
  };
  const costs = (outcomes: readonly { usage: Usage }[]) => sumUsage(outcomes.map((outcome) => outcome.usage));

  const diagnoses = await timed(
    'diagnose',
    () => roles.diagnoser.diagnose(records, state.view, signal),
    costs,
  );
  const skipped = records.flatMap((record, i) => {
    const outcome = diagnoses[i];
    return outcome.ok ? [] : [unused(record, null, `diagnosis: ${outcome.problem}`, context)];
  });
  const targets = records.flatMap((record, i): Target[] => {
    const diagnosis = valueOf(diagnoses[i]);
    return diagnosis ? [{ record, diagnosis, competitors: competingKeys(record, diagnosis) }] : [];
  });
  if (targets.length === 0) return { revisions: skipped, usage };

  const limit = config.settings.keyBudget - 1;
  const proposals = await timed(
    'revise',
    () =>
      roles.reviser.revise(
        targets.map(({ record, diagnosis, competitors }) => ({
          record,
          diagnosis,
          competitors: competitors.slice(0, shownCompetitors).map((competitor) => competitor.text),
          limit,
        })),
        state.view,
        signal,
      ),
    costs,
  );
  const tasks = targets.map((target, i) => validationTask(target, proposals[i], limit, context));
  const validations = await timed(
    'validate',
    () =>
      validate(tasks, {
        retriever: state.retriever,
        judge: roles.judge,
        view: state.view,
        depth: config.settings.depth,
        fullVerdicts: config.fullVerdicts,
        signal,
      }),
    costs,
  );

  const revisions = targets.map(({ record, diagnosis }, i): Revision => {
    const proposal = proposals[i];
    if (!proposal.ok) return unused(record, diagnosis, `revision: ${proposal.problem}`, context);
    const { verdicts, problem } = validations[i];
    const decision = gate(record.keys, tasks[i].kept, tasks[i].fresh, verdicts, config);
    return {
      ...turn(record, diagnosis, context),
      verdicts,
      accepted: decision.accepted,
      stale: decision.stale,
      after: decision.generated,
      ...(problem !== undefined && { skipped: `judge: ${problem}` }),
    };
  });
  return { revisions: [...skipped, ...revisions], usage };
}

function validationTask(
  { record, competitors }: Target,
  proposal: Outcome<Proposal>,
  limit: number,
  context: GroupContext,
): ValidationTask {
  const { kept, fresh } = proposal.ok
    ? resolveProposal(record.keys, proposal.value, limit, {
        by: 'reviser',
        revisionId: revisionId(record.documentId, context),
      })
    : { kept: [], fresh: [] };
  return {
    documentId: record.documentId,
    documentText: record.keys.original.text,
    keys: record.keys,
    competitors,
    kept,
    fresh,
  };
}

export function revisionId(
  documentId: string,
  run: { readonly runId: string; readonly iteration: number },
): string {
  return `${run.runId}/${run.iteration}/${documentId}`;
}

function turn(record: FeedbackRecord, diagnosis: Diagnosis | null, context: GroupContext): Revision {
  return {
    id: revisionId(record.documentId, context),
    runId: context.runId,
    iteration: context.iteration,
    documentId: record.documentId,
    version: null,
    diagnosis,
    verdicts: [],
    accepted: false,
    stale: [],
    evidence: evidenceOf(record),
    after: record.keys.generated,
  };
}

function unused(
  record: FeedbackRecord,
  diagnosis: Diagnosis | null,
  skipped: string,
  context: GroupContext,
): Revision {
  return { ...turn(record, diagnosis, context), skipped };
}

/** Queries made from this very document first; bounded, since a broad document is retrieved by a whole batch. */
function evidenceOf(record: FeedbackRecord): string[] {
  const own = record.rows.filter((row) => row.query.sourceDocumentId === record.documentId);
  const others = record.rows.filter((row) => row.query.sourceDocumentId !== record.documentId);
  const ids = [...record.missed, ...[...own, ...others].map((row) => row.query)].map((query) => query.id);
  return [...new Set(ids)].slice(0, mostEvidence);
}

function valueOf<T>(outcome: Outcome<T>): T | undefined {
  return outcome.ok ? outcome.value : undefined;
}
