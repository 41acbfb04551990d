import { SelfIndexError } from '../base/errors.ts';
import type { Document, DocumentSource } from '../corpus/types.ts';
import type {
  Diagnosis,
  EvolutionQuery,
  GuardReport,
  IndexKey,
  IndexVersion,
  IterationSummary,
  KeyOrigin,
  KeyRecord,
  Revision,
  Shortfall,
  Usage,
  Verdict,
  WorseQuery,
} from '../keys/types.ts';
import {
  boolean,
  count,
  fields,
  finite,
  json,
  list,
  map,
  nonEmptyString,
  nullable,
  oneOf,
  optional,
  string,
  type Check,
} from './shape.ts';
import type { JournalEntry, RunBatch, RunRecord } from './types.ts';

/** The shape of every stored record. What is put is held to it as well as what is imported: an export can always be imported. */

const longestId = 512;

const documentId: Check = (value) =>
  typeof value === 'string' && value !== '' && value.length <= longestId && !/\p{Cc}/u.test(value)
    ? null
    : ` must be a string of 1 to ${longestId} characters without control characters`;

const source = fields<DocumentSource>({
  name: string,
  headings: optional(list(string)),
  start: optional(count),
  end: optional(count),
  modified: optional(finite),
});

export const document = fields<Document>({
  id: documentId,
  text: string,
  title: optional(string),
  metadata: optional(map(json)),
  source: optional(source),
});

const form = oneOf(
  'text',
  'question',
  'description',
  'sentence',
  'heading',
  'identifier',
  'acronym',
  'passage',
  'search',
  'terms',
);

const keyFields = {
  id: nonEmptyString,
  documentId,
  kind: oneOf('generated', 'expansion'),
  text: string,
  origin: fields<KeyOrigin>({
    by: oneOf('document', 'reviser', 'teaching', 'expansion', 'person'),
    form,
    revisionId: optional(string),
  }),
};

export const keyRecord = fields<KeyRecord>({ ...keyFields, born: count, died: nullable(count) });

export const query = fields<EvolutionQuery>({
  id: nonEmptyString,
  text: string,
  kind: oneOf('observed', 'simulated', 'external'),
  sourceDocumentId: optional(string),
});

const usage = fields<Usage>({
  calls: count,
  cached: count,
  inputTokens: count,
  outputTokens: count,
  milliseconds: finite,
});

const criterion = oneOf('faithfulness', 'specificity', 'separation');

const verdict = fields<Verdict>({
  keyId: string,
  text: string,
  form,
  isNew: boolean,
  specificity: optional(fields<NonNullable<Verdict['specificity']>>({ rivals: count, passed: boolean })),
  separation: optional(
    fields<NonNullable<Verdict['separation']>>({
      before: nullable(finite),
      after: nullable(finite),
      passed: boolean,
    }),
  ),
  faithfulness: optional(
    fields<NonNullable<Verdict['faithfulness']>>({
      score: oneOf(0, 1, 2, 3),
      reason: optional(string),
      passed: boolean,
    }),
  ),
  passed: boolean,
  failed: optional(criterion),
});

export const revision = fields<Revision>({
  id: nonEmptyString,
  runId: string,
  iteration: count,
  documentId,
  version: nullable(count),
  diagnosis: nullable(
    fields<Diagnosis>({
      shortfalls: list(fields<Shortfall>({ key: string, cause: string })),
      revision: string,
    }),
  ),
  verdicts: list(verdict),
  accepted: boolean,
  stale: list(string),
  skipped: optional(string),
  evidence: list(string),
  after: list(fields<IndexKey>(keyFields)),
});

const guard = fields<GuardReport>({
  queries: count,
  before: finite,
  after: finite,
  shortened: optional(fields<NonNullable<GuardReport['shortened']>>({ before: finite, after: finite })),
  tolerance: finite,
  held: boolean,
  undone: optional(oneOf('all', 'expansion', 'generated')),
  worse: list(
    fields<WorseQuery>({
      query: string,
      documentId: string,
      before: count,
      after: count,
      overtakenBy: optional(
        fields<NonNullable<WorseQuery['overtakenBy']>>({
          documentId: string,
          keyId: string,
          keyText: string,
        }),
      ),
    }),
  ),
});

const summary = fields<IterationSummary>({
  queries: count,
  records: count,
  visited: count,
  diagnosed: count,
  accepted: count,
  rejected: map(count),
  skipped: count,
  newKeys: count,
  droppedKeys: count,
  expansionKeys: count,
  usage: map(optional(usage)),
  guard: optional(guard),
  stoppedBy: optional(oneOf('calls', 'tokens', 'minutes', 'signal', 'guard')),
});

export const version = fields<IndexVersion>({
  version: count,
  parent: nullable(count),
  kind: oneOf('initial', 'iteration', 'rollback', 'teaching', 'edit'),
  at: finite,
  restores: optional(count),
  runId: optional(string),
  iteration: optional(count),
  summary: optional(summary),
});

export const run = fields<RunRecord>({
  id: nonEmptyString,
  startedAt: finite,
  config: map(json),
  status: oneOf('running', 'finished', 'stopped', 'failed'),
  iterations: count,
  version: count,
  heldOut: optional(list(query)),
});

export const batch = fields<RunBatch>({
  runId: nonEmptyString,
  iteration: count,
  version: count,
  queries: list(query),
  heldOut: list(query),
  usage,
});

export const journalEntry = fields<JournalEntry>({
  runId: nonEmptyString,
  iteration: count,
  version: count,
  group: count,
  revisions: list(revision),
  usage: map(usage),
  milliseconds: finite,
});

/** @throws SelfIndexError `invalid-argument` that says which field of which value is wrong. */
export function requireShape(what: string, check: Check, value: unknown): void {
  const problem = check(value);
  if (problem === null) return;
  throw new SelfIndexError(
    'invalid-argument',
    `${what}${problem}. Nothing was stored; correct it and try again.`,
  );
}
