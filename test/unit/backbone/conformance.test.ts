import { beforeEach } from 'vitest';
import { createOpenAiModel } from '../../../src/backbone/openai-model.ts';
import type { LanguageModel } from '../../../src/backbone/types.ts';
import { sha256Hex } from '../../../src/base/hash.ts';
import type { JsonSchema } from '../../../src/base/json.ts';
import { conformsAsLanguageModel } from '../../conformance/language-model.ts';
import { serveWhile } from '../fixtures/http-server.ts';

interface Asked {
  readonly messages: readonly { readonly role: string; readonly content: string }[];
  readonly max_tokens: number;
  readonly seed: number;
  readonly temperature: number;
  readonly response_format?: { readonly json_schema: { readonly schema: JsonSchema } };
}

let model: LanguageModel;
beforeEach(async () => {
  const server = await serveWhile((asked, response) => {
    const { text, inputTokens } = scripted(JSON.parse(asked.text) as Asked);
    response.setHeader('Content-Type', 'application/json').end(
      JSON.stringify({
        choices: [{ message: { role: 'assistant', content: text } }],
        usage: { prompt_tokens: inputTokens, completion_tokens: text.length },
      }),
    );
  });
  model = createOpenAiModel({ url: `${server.url}v1`, model: 'scripted', contextTokens: 512 });
});

conformsAsLanguageModel('an OpenAI-compatible endpoint (a scripted one)', () => model, {
  schema: 'checked',
  repeats: true,
  counts: false,
  silent: [{ messages: [{ role: 'user', content: 'silence' }], maxTokens: 5 }],
});

/** What a server might say: a function of all that it was asked. A token is a character. */
function scripted({ messages, max_tokens: most, seed, temperature, response_format: format }: Asked) {
  const prompt = messages.map(({ role, content }) => `${role}: ${content}`).join('\n');
  const answer = format
    ? JSON.stringify(least(format.json_schema.schema))
    : prompt.endsWith('silence')
      ? ''
      : sha256Hex(`${temperature > 0 ? seed : ''} ${prompt}`);
  return { text: answer.slice(0, most), inputTokens: Math.ceil(prompt.length / 4) };
}

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
