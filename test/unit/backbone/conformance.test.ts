import { beforeEach } from 'vitest';
import { createOpenAiModel } from '../../../src/backbone/openai-model.ts';
import type { LanguageModel } from '../../../src/backbone/types.ts';
import type { JsonSchema } from '../../../src/base/json.ts';
import { conformsAsLanguageModel } from '../../conformance/language-model.ts';
import { scriptedAnswer, silent, type Asked } from '../../conformance/scripted-answers.ts';
import { serveWhile } from '../fixtures/http-server.ts';

interface Body extends Pick<Asked, 'messages' | 'seed' | 'temperature'> {
  readonly max_tokens: number;
  readonly response_format?: { readonly json_schema: { readonly schema: JsonSchema } };
}

let model: LanguageModel;
beforeEach(async () => {
  const server = await serveWhile((request, response) => {
    const asked = JSON.parse(request.text) as Body;
    const schema = asked.response_format?.json_schema.schema;
    const { text, inputTokens } = scriptedAnswer({ ...asked, maxTokens: asked.max_tokens, schema });
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
  silent: [silent],
});
