import { expect, test } from 'vitest';
import { SelfIndexError } from '../../../src/base/errors.ts';
import { generatorPlace, parseRolesSpec } from '../../../src/roles/spec.ts';

test('the forms', () => {
  expect(parseRolesSpec('extractive')).toEqual({ kind: 'extractive' });
  expect(parseRolesSpec('transformers:SmolLM2-135M-Instruct')).toEqual({
    kind: 'transformers',
    model: 'SmolLM2-135M-Instruct',
  });
  expect(parseRolesSpec('wllama:smollm2/SmolLM2-135M.Q4_1.gguf')).toEqual({
    kind: 'wllama',
    model: 'smollm2/SmolLM2-135M.Q4_1.gguf',
  });
  expect(parseRolesSpec('webllm:Qwen3-0.6B-q4f16_1-MLC')).toEqual({
    kind: 'webllm',
    model: 'Qwen3-0.6B-q4f16_1-MLC',
  });
  expect(parseRolesSpec('prompt-api')).toEqual({ kind: 'prompt-api' });
  expect(parseRolesSpec('openai:http://127.0.0.1:8080/v1#qwen3:8b')).toEqual({
    kind: 'openai',
    url: 'http://127.0.0.1:8080/v1',
    model: 'qwen3:8b',
  });
});

test.each([
  ['', 'no roles named ""'],
  ['magic', 'no roles named "magic"'],
  ['Extractive', 'no roles named'],
  ['extractive:x', 'takes nothing'],
  ['transformers', 'folder name'],
  ['transformers:', 'folder name'],
  ['transformers:../secret', 'folder name'],
  ['transformers:/absolute', 'folder name'],
  ['transformers:a/../b', 'folder name'],
  ['wllama:', 'the file must be a path'],
  ['wllama:model.onnx', 'the file must be a path'],
  ['wllama:../x.gguf', 'the file must be a path'],
  ['wllama:https://host/x.gguf', 'the file must be a path'],
  ['webllm:', 'folder name'],
  ['webllm:https://huggingface.co/x', 'folder name'],
  ['prompt-api:x', 'takes nothing'],
  ['openai:', 'absolute URL'],
  ['openai:localhost', 'absolute URL'],
  ['openai:ftp://host#m', 'http'],
  ['openai:javascript:alert(1)#m', 'http'],
  ['openai:https://user:key@host/v1#m', 'apiKey'],
  ['openai:https://host/v1', 'append #MODEL'],
  ['openai:https://host/v1#', 'append #MODEL'],
])('%j is refused: %s', (spec, why) => {
  const parse = () => parseRolesSpec(spec);
  expect(parse).toThrow(SelfIndexError);
  expect(parse).toThrow(why);
  expect(parse).toThrow('openai:URL#MODEL');
});

test.each([
  ['extractive', undefined],
  ['openai:http://h/v1#m', undefined],
  ['transformers:m', 'worker'],
  ['wllama:m.gguf', 'worker'],
  ['webllm:m', 'worker'],
  ['prompt-api', 'page'],
])('%s runs in: %s', (roles, place) => {
  expect(generatorPlace(parseRolesSpec(roles))).toBe(place);
});
