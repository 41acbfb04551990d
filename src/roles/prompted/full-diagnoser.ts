import { ask } from '../../backbone/ask.ts';
import type { CompletionRequest, LanguageModel } from '../../backbone/types.ts';
import type { JsonSchema } from '../../base/json.ts';
import { textKeys } from '../../keys/text-keys.ts';
import { wholeKeySet, type Diagnosis, type FeedbackRecord, type Shortfall } from '../../keys/types.ts';
import { succeeded } from '../outcome.ts';
import type { Diagnoser } from '../types.ts';
import { asLine, dataRule, PromptBuilder } from './data.ts';

/** Rows and neighbours that a prompt shows; the rest is counted. */
const shownRows = 24;
const shownNeighbours = 6;

interface DiagnosisAnswer {
  readonly diagnoses: readonly { readonly key: number | typeof wholeKeySet; readonly cause: string }[];
  readonly revision: string;
}

export const diagnosisSchema: JsonSchema = {
  type: 'object',
  properties: {
    diagnoses: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          key: { anyOf: [{ type: 'integer' }, { type: 'string', enum: [wholeKeySet] }] },
          cause: { type: 'string' },
        },
        required: ['key', 'cause'],
        additionalProperties: false,
      },
    },
    revision: { type: 'string' },
  },
  required: ['diagnoses', 'revision'],
  additionalProperties: false,
};

const system =
  'You look after the index of a search engine. Every document is found through its keys: key 0 is its own text and ' +
  'never changes; the others are short texts that were written for it. You get one document, its keys, and what ' +
  `searches retrieved, and you decide whether its keys fail it. ${dataRule}`;

const task = `Find the shortfalls of the keys, if there are any:
- something the document offers, and that people search for, which no key expresses: diagnose "${wholeKeySet}";
- a key that says what many other documents say as well, or something else than its document: diagnose its number.
That a key was retrieved together with keys of other documents is no proof of a fault: several documents may answer one search. Judge by what the document says and what the searches ask.
Answer with JSON: {"diagnoses": [{"key": NUMBER or "${wholeKeySet}", "cause": "one sentence: what fails and why"}], "revision": "what the new keys should say or leave out; advice, not the keys themselves"}. With no shortfall answer {"diagnoses": [], "revision": ""}.`;

/** Diagnosis by a language model that can fill a nested schema (paper, A.1.2). */
export function createFullDiagnoser(model: LanguageModel): Diagnoser {
  return {
    id: `prompted(${model.id})/full`,
    async diagnose(records, _view, signal) {
      const requests = records.map((record) => diagnosisRequest(record, model.contextTokens));
      const answers = await ask<DiagnosisAnswer>(model, requests, signal);
      return answers.map((answer, i) =>
        answer.ok ? succeeded(resolveDiagnosis(answer.value, records[i]), answer.usage) : answer,
      );
    },
  };
}

export function diagnosisRequest(record: FeedbackRecord, contextTokens: number): CompletionRequest {
  const user = new PromptBuilder(contextTokens)
    .document(record.keys.original.text)
    .list('KEYS', numberedKeys(record))
    .list('RETRIEVED TOGETHER', profileLines(record), 'no key was retrieved')
    .list('SEARCHES', searchLines(record), 'no search retrieved a key')
    .say(task)
    .user();
  return { messages: [{ role: 'system', content: system }, user], schema: diagnosisSchema, maxTokens: 700 };
}

function numberedKeys(record: FeedbackRecord): string[] {
  return [
    '0: the document itself',
    ...record.keys.generated.map((key, i) => `${i + 1}: ${asLine(key.text)}`),
  ];
}

function profileLines(record: FeedbackRecord): string[] {
  const numbers = new Map(textKeys(record.keys).map((key, i) => [key.id, i]));
  return record.profiles
    .filter((profile) => profile.with.length > 0 && numbers.has(profile.keyId))
    .map((profile) => {
      const shown = profile.with
        .slice(0, shownNeighbours)
        .map((other) => `${asLine(other.text, 100)} (${other.count} times)`);
      const rest = profile.with.length - shown.length;
      return `key ${numbers.get(profile.keyId)} with: ${shown.join('; ')}${rest > 0 ? `; and ${rest} more keys` : ''}`;
    });
}

/** Searches made for this document first; then by rank. */
function searchLines(record: FeedbackRecord): string[] {
  const numbers = new Map(textKeys(record.keys).map((key, i) => [key.id, i]));
  const own = (source?: string) => source === record.documentId;
  const rows = [...record.rows].sort(
    (a, b) =>
      Number(own(b.query.sourceDocumentId)) - Number(own(a.query.sourceDocumentId)) || a.rank - b.rank,
  );
  const lines = [
    ...record.missed.map((query) => `${asLine(query.text)} -> not found, although this document answers it`),
    ...rows.map(({ query, keyId, rank, score }) => {
      const answer = own(query.sourceDocumentId) ? ', and this document answers it' : '';
      return `${asLine(query.text)} -> key ${numbers.get(keyId) ?? '?'} at rank ${rank}, score ${score.toFixed(3)}${answer}`;
    }),
  ];
  const rest = lines.length - shownRows;
  return rest > 0 ? [...lines.slice(0, shownRows), `(and ${rest} more)`] : lines;
}

/** Diagnoses of keys that do not exist, and second ones of the same key, are dropped; with none left there is no shortfall. */
export function resolveDiagnosis(answer: DiagnosisAnswer, record: FeedbackRecord): Diagnosis | null {
  const keys = textKeys(record.keys);
  const shortfalls = new Map<string, Shortfall>();
  for (const { key, cause } of answer.diagnoses) {
    const id = key === wholeKeySet ? wholeKeySet : keys.at(key)?.id;
    const said = asLine(cause);
    if (id === undefined || (typeof key === 'number' && key < 0) || said === '' || shortfalls.has(id))
      continue;
    shortfalls.set(id, { key: id, cause: said });
  }
  if (shortfalls.size === 0) return null;
  return { shortfalls: [...shortfalls.values()], revision: asLine(answer.revision, 1000) };
}
