import type { IndexKey, IndexVersion, KeyForm, Revision, Stage, Verdict } from '../../keys/types.ts';
import { plural } from './format.ts';

const forms: Record<KeyForm, string> = {
  text: 'free words',
  question: 'a question',
  description: 'a description',
  sentence: 'a telling sentence',
  heading: 'a heading',
  identifier: 'a name split into words',
  acronym: 'an acronym spelled out',
  passage: 'a passage of the text',
  search: 'a search',
  terms: 'terms of neighbouring documents',
};

export function formInWords(form: KeyForm): string {
  return forms[form];
}

/** Where a key came from, as the end of "from …". */
export function originInWords(key: Pick<IndexKey, 'kind' | 'origin'>): string {
  switch (key.origin.by) {
    case 'document':
      return 'the document’s own text';
    case 'teaching':
      return 'a search after which you opened this';
    case 'person':
      return 'your own hand';
    case 'expansion':
    case 'reviser':
      return forms[key.origin.form];
  }
}

const stages: Record<Stage, string> = {
  simulate: 'Inventing searches',
  feedback: 'Looking at what they retrieve',
  diagnose: 'Diagnosing documents',
  revise: 'Writing keys',
  validate: 'Validating keys',
  expand: 'Computing expansion keys',
  guard: 'Measuring held-out searches',
  commit: 'Committing the version',
};

export function stageInWords(stage: Stage): string {
  return stages[stage];
}

/** One verdict as the end of "it is …". */
export function verdictInWords(verdict: Verdict): string {
  if (verdict.passed) return verdict.isNew ? 'accepted' : 'kept';
  switch (verdict.failed) {
    case 'faithfulness':
      return `not faithful to the text: ${verdict.faithfulness?.score ?? 0} of 3`;
    case 'specificity':
      return `not specific: ${plural(verdict.specificity?.rivals ?? 0, 'other document')} fit it as well`;
    case 'separation':
      return 'no better separated from its competitors';
    case undefined:
      return 'refused';
  }
}

/** Why a revision let nothing new in, as a clause. */
export function refusalInWords(revision: Pick<Revision, 'verdicts'>): string {
  const refused = revision.verdicts.find((verdict) => verdict.isNew && !verdict.passed);
  return refused ? `it is ${verdictInWords(refused)}` : 'it changes nothing';
}

const kinds: Record<IndexVersion['kind'], string> = {
  initial: 'Original keys alone',
  iteration: 'Evolution',
  rollback: 'Rollback',
  teaching: 'Taught by a click',
  edit: 'Edited by hand',
};

export function versionInWords(version: IndexVersion): string {
  if (version.kind === 'rollback' && version.restores !== undefined) {
    return `Rolled back to version ${version.restores}`;
  }
  if (version.kind === 'iteration' && version.iteration !== undefined) {
    return `${kinds.iteration}, iteration ${version.iteration + 1}`;
  }
  return kinds[version.kind];
}

const stops = {
  calls: 'the budget of calls was spent',
  tokens: 'the budget of tokens was spent',
  minutes: 'the time was up',
  signal: 'you stopped it',
  guard: 'held-out searches got worse',
};

export function stopInWords(reason: keyof typeof stops): string {
  return stops[reason];
}
