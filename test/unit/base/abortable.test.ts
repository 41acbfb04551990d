import { describe, expect, it } from 'vitest';
import { abortable } from '../../../src/base/abortable.ts';

const reason = new DOMException('enough', 'AbortError');
const never = new Promise<never>(() => {});

describe('waiting for work that others wait for too', () => {
  it('gives what it gives', async () => {
    const { signal } = new AbortController();
    expect(await abortable(Promise.resolve(7), signal)).toBe(7);
    expect(await abortable(Promise.resolve(7), undefined)).toBe(7);
    await expect(abortable(Promise.reject(new Error('failed')), signal)).rejects.toThrow('failed');
  });

  it('ends with the reason of an abort, before or meanwhile', async () => {
    await expect(abortable(never, AbortSignal.abort(reason))).rejects.toBe(reason);
    const controller = new AbortController();
    const waiting = abortable(never, controller.signal);
    controller.abort(reason);
    await expect(waiting).rejects.toBe(reason);
  });

  it('leaves nobody behind when the work fails after it', async () => {
    let fail = (_: Error) => {};
    const work = new Promise<never>((_, reject) => (fail = reject));
    const controller = new AbortController();
    const waiting = abortable(work, controller.signal);
    controller.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    // Unhandled, this would end the test run.
    fail(new Error('too late'));
    await Promise.resolve();
  });
});
