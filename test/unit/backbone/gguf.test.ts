import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readGgufHead } from '../../../src/backbone/wllama/gguf.ts';

const file = new Uint8Array(
  readFileSync(new URL('../../fixtures/models/tiny-llama/tiny.gguf', import.meta.url)),
);
const read = (bytes: Uint8Array) => readGgufHead(Uint8Array.from(bytes), 'x.gguf');

describe('the head of a GGUF file', () => {
  it('says what the model is', () => {
    const head = read(file);
    // Embedding and output 354 × 32 each; per layer 4 × 32² + 3 × 32 × 48 + 2 × 32; the last norm 32.
    const parameters = 2 * 354 * 32 + 2 * (4 * 32 * 32 + 3 * 32 * 48 + 2 * 32) + 32;
    expect(head).toMatchObject({ architecture: 'llama', contextTokens: 2048, parameters });
    // The last tensor is the output: it fills the rest of the file.
    expect(head.leastBytes).toBe(file.length - 354 * 32 * 4);
    expect(head.tokens).toHaveLength(354);
    expect(head.tokens[3 + 0x41]).toBe('<0x41>');
    expect(head.tokens.at(-1)).toBe('~');
    expect(head.control).toEqual(['<|im_start|>', '<|im_end|>']);
  });

  it.each([
    ['nothing', new Uint8Array(0)],
    ['a web page', new TextEncoder().encode('<!doctype html><title>x</title>')],
    ['another version', withNumber(4, 1)],
    ['a list of 2⁶⁰', withNumber(20, 1 << 28)],
    ['a file without a vocabulary', Uint8Array.from([...file.subarray(0, 8), ...new Uint8Array(16)])],
  ])('is refused: %s', (_, bytes) => {
    expect(() => read(bytes)).toThrow(expect.objectContaining({ code: 'model-corrupt' }) as Error);
  });

  it('is refused wherever it is cut off', () => {
    // The head is some 10 KB, the weights are the rest.
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 8000 }), (length) => {
        expect(() => read(file.subarray(0, length))).toThrow(
          expect.objectContaining({ code: 'model-corrupt' }) as Error,
        );
      }),
    );
  });

  it('is read or refused, whatever its bytes', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.integer({ min: 0, max: 9000 }), fc.integer({ min: 0, max: 255 })), {
          minLength: 1,
          maxLength: 20,
        }),
        (changes) => {
          const bytes = file.slice(0, 12_000);
          for (const [offset, value] of changes) bytes[offset] = value;
          try {
            expect(read(bytes).tokens.length).toBeGreaterThan(0);
          } catch (error) {
            expect(error).toMatchObject({ code: 'model-corrupt' });
          }
        },
      ),
    );
  });
});

function withNumber(offset: number, value: number): Uint8Array {
  const bytes = file.slice();
  new DataView(bytes.buffer).setUint32(offset, value, true);
  return bytes;
}
