import type { JsonValue } from '../../base/json.ts';

/** The tokens of a model as xgrammar wants them. */
export interface Vocabulary {
  /** Spellings by id, as the tokeniser's file has them; special tokens are empty, so that no text is made of them. */
  readonly tokens: readonly string[];
  /** How spellings stand for bytes: in the letters of GPT-2, or as text with `<0x0A>` for what has no token. */
  readonly kind: 'byte_level' | 'byte_fallback';
}

type Json = JsonValue | undefined;

/**
 * Reads the vocabulary of a `tokenizer.json`. Undefined where its tokens do not spell bytes (WordPiece, Unigram without bytes):
 * what such a model writes cannot be held to a grammar.
 */
export function readVocabulary(tokenizer: Json): Vocabulary | undefined {
  const model = at(tokenizer, 'model');
  const kind = kindOf(tokenizer, model);
  if (!kind) return undefined;
  const tokens: string[] = [];
  const vocabulary = at(model, 'vocab');
  if (isList(vocabulary))
    vocabulary.forEach((entry, id) => {
      if (isList(entry) && typeof entry[0] === 'string') tokens[id] = entry[0];
    });
  else if (typeof vocabulary === 'object' && vocabulary !== null)
    for (const [token, id] of Object.entries(vocabulary)) if (typeof id === 'number') tokens[id] = token;
  const added = at(tokenizer, 'added_tokens');
  for (const entry of isList(added) ? added : []) {
    const id = at(entry, 'id');
    const content = at(entry, 'content');
    if (typeof id !== 'number' || typeof content !== 'string') continue;
    tokens[id] = at(entry, 'special') === true ? '' : content;
  }
  if (tokens.length === 0) return undefined;
  return { kind, tokens: Array.from(tokens, (token) => token ?? '') };
}

function kindOf(tokenizer: Json, model: Json): Vocabulary['kind'] | undefined {
  const parts = [at(tokenizer, 'pre_tokenizer'), at(tokenizer, 'decoder')].flatMap(typesOf);
  if (parts.includes('ByteLevel')) return 'byte_level';
  if (parts.includes('ByteFallback') || at(model, 'byte_fallback') === true) return 'byte_fallback';
  return undefined;
}

/** The types of a step and of all that a `Sequence` holds. */
function typesOf(step: Json): string[] {
  const type = at(step, 'type');
  const inner = ['pretokenizers', 'decoders'].flatMap((key) => {
    const steps = at(step, key);
    return isList(steps) ? steps : [];
  });
  return [...(typeof type === 'string' ? [type] : []), ...inner.flatMap(typesOf)];
}

function isList(value: Json): value is readonly JsonValue[] {
  return Array.isArray(value);
}

function at(value: Json, key: string): Json {
  if (typeof value !== 'object' || value === null || isList(value)) return undefined;
  return value[key];
}
