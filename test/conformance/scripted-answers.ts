import { sha256Hex } from '../../src/base/hash.ts';
import type { JsonSchema } from '../../src/base/json.ts';

/** What is asked of a model that answers from a script. */
export interface Asked {
  readonly messages: readonly { readonly role: string; readonly content: string }[];
  readonly maxTokens: number;
  readonly seed: number;
  readonly temperature: number;
  readonly schema?: JsonSchema;
}

/**
 * No language model: what one might say, a function of all that it was asked. Under a schema the smallest value that fits, to a
 * prompt that ends in "silence" nothing, else a hash. A token is a character of the answer, or four of the prompt.
 */
export function scriptedAnswer({ messages, maxTokens, seed, temperature, schema }: Asked): {
  readonly text: string;
  readonly inputTokens: number;
} {
  const prompt = messages.map(({ role, content }) => `${role}: ${content}`).join('\n');
  const answer = schema
    ? JSON.stringify(least(schema))
    : prompt.endsWith('silence')
      ? ''
      : sha256Hex(`${temperature > 0 ? seed : ''} ${prompt}`);
  return { text: answer.slice(0, maxTokens), inputTokens: Math.ceil(prompt.length / 4) };
}

/** A request that is answered with nothing. */
export const silent = { messages: [{ role: 'user', content: 'silence' }], maxTokens: 5 } as const;

/** The smallest value that fits. */
function least(schema: JsonSchema): unknown {
  if (Array.isArray(schema.enum)) return schema.enum[0];
  const { properties = {}, items } = schema as {
    properties?: { readonly [key: string]: JsonSchema };
    items?: JsonSchema;
  };
  if (schema.type === 'object')
    return Object.fromEntries(Object.entries(properties).map(([key, value]) => [key, least(value)]));
  if (schema.type === 'array')
    return Array.from({ length: Number(schema.minItems ?? 0) }, () => items && least(items));
  return schema.type === 'boolean' ? true : '';
}
