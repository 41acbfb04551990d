import { expect, it } from 'vitest';
import { WebLlmFailure } from '../../../src/backbone/webllm/client.ts';
import { tokensOfRefused, webLlmError } from '../../../src/backbone/webllm/failures.ts';
import { SelfIndexError } from '../../../src/base/errors.ts';

it.each([
  ['IntegrityError: Integrity verification failed for http://h/x.json\n  Expected: a', 'model-corrupt'],
  ['ShaderF16SupportError: This model requires WebGPU extension shader-f16, which …', 'device-unsupported'],
  ['WebGPUNotAvailableError: WebGPU is not supported in your current environment', 'device-unsupported'],
  ['DeviceLostError: The WebGPU device was lost while loading the model.', 'out-of-memory'],
  ["TypeError: Failed to execute 'add' on 'Cache': Request failed", 'model-not-found'],
  ['TypeError: Failed to fetch', 'model-load-failed'],
  ['LinkError: WebAssembly.instantiate(): Import #0', 'internal'],
  ['', 'internal'],
])('%j becomes %s', (text, code) => {
  const error = webLlmError('some-model', new WebLlmFailure(text), 'internal');
  expect(error).toMatchObject({ code, details: { model: 'some-model' } });
  expect((error as Error).message).not.toContain('\n');
});

it('leaves what is typed already, and an abort', () => {
  const typed = new SelfIndexError('worker-failed', 'gone');
  const abort = new DOMException('enough', 'AbortError');
  expect(webLlmError('m', typed, 'internal')).toBe(typed);
  expect(webLlmError('m', abort, 'internal')).toBe(abort);
});

it('reads how long a refused prompt was', () => {
  const text =
    'ContextWindowSizeExceededError: Prompt tokens exceed context window size: number of prompt tokens: 5021; context window size: 4096';
  expect(tokensOfRefused(new WebLlmFailure(text))).toBe(5021);
  expect(tokensOfRefused(new WebLlmFailure('Error: number of prompt tokens: 5'))).toBeUndefined();
  expect(tokensOfRefused(new Error(text))).toBeUndefined();
});
