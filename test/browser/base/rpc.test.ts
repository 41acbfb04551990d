import { afterEach, describe, expect, it } from 'vitest';
import { SelfIndexError } from '../../../src/base/errors.ts';
import { callRemote, iterateRemote } from '../../../src/base/rpc-calls.ts';
import { connect, openPort } from '../../../src/base/rpc.ts';
import type { Connection } from '../../../src/base/rpc.ts';
import type { TestService } from './fixtures/rpc.worker.ts';

const open: { terminate(): void }[] = [];
afterEach(() => open.splice(0).forEach((each) => each.terminate()));

function newWorker(): Worker {
  const worker = new Worker(new URL('./fixtures/rpc.worker.ts', import.meta.url), { type: 'module' });
  open.push(worker);
  return worker;
}

function newConnection(to: Worker | MessagePort = newWorker()): Connection<TestService> {
  const connection = connect<TestService>(to);
  open.push(connection);
  return connection;
}

const caught = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => expect.fail('It should have been rejected.'),
    (error: unknown) => error,
  );

async function collect<T>(iterable: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = [];
  for await (const item of iterable) items.push(item);
  return items;
}

describe('errors', () => {
  it('keeps code, message, details and the chain of causes of a typed error', async () => {
    const error = await caught(newConnection().remote.fail('typed'));
    expect(error).toBeInstanceOf(SelfIndexError);
    expect(error).toMatchObject({
      code: 'model-corrupt',
      message: 'The file is cut.',
      details: { file: 'a', at: 3 },
      stack: expect.stringContaining('rpc.worker') as string,
    });
    const { cause } = error as SelfIndexError;
    expect(cause).toBeInstanceOf(TypeError);
    expect((cause as Error).cause).toMatchObject({ code: 'storage-quota', message: 'deeper' });
  });

  it.each([
    ['native', RangeError, { message: 'out of range' }],
    ['dom', DOMException, { name: 'QuotaExceededError', message: 'full' }],
    ['cycle', Error, { message: 'round' }],
    ['function', Error, { message: 'with a function' }],
    ['hostile', Error, { message: expect.stringContaining('worse') as string }],
  ])('keeps the class of others (%s)', async (how, type, fields) => {
    const error = await caught(newConnection().remote.fail(how));
    expect(error).toBeInstanceOf(type);
    expect(error).toMatchObject(fields);
  });

  it('lets through what is no error at all', async () => {
    expect(await caught(newConnection().remote.fail('string'))).toBe('only a string');
  });

  it('rejects what cannot be sent, in both directions, and goes on', async () => {
    const { remote } = newConnection();
    expect(await caught(remote.uncloneable())).toBeInstanceOf(TypeError);
    expect(await caught(remote.add((() => 1) as unknown as number, 1))).toMatchObject({
      name: 'DataCloneError',
    });
    expect(await remote.add(1, 2)).toBe(3);
  });

  it('rejects a call of what is not there', async () => {
    const remote = newConnection().remote as unknown as { nothing(): Promise<void> };
    expect(await caught(remote.nothing())).toBeInstanceOf(TypeError);
  });
});

describe('cancellation', () => {
  it('reaches the far side and rejects with the reason of this side', async () => {
    const { remote } = newConnection();
    const controller = new AbortController();
    const reason = new DOMException('enough', 'AbortError');
    const call = callRemote({ signal: controller.signal }, (port) => remote.wait(port));
    await expect.poll(() => remote.events()).toEqual(['waiting']);
    controller.abort(reason);
    expect(await caught(call)).toBe(reason);
    expect(await remote.events()).toEqual(['waiting', 'stopped']);
  });

  it.each([['a string'], [new SelfIndexError('internal', 'stopped by the budget')]])(
    'keeps a reason of any kind (%s)',
    async (reason) => {
      const { remote } = newConnection();
      const controller = new AbortController();
      const call = callRemote({ signal: controller.signal }, (port) => remote.wait(port));
      controller.abort(reason);
      expect(await caught(call)).toBe(reason);
    },
  );

  it('does not start with a signal that has already aborted', async () => {
    const { remote } = newConnection();
    const signal = AbortSignal.abort();
    expect(await caught(callRemote({ signal }, (port) => remote.wait(port)))).toBe(signal.reason);
    expect(await remote.events()).toEqual([]);
  });

  it('does not report as undone what was done all the same', async () => {
    const { remote } = newConnection();
    const controller = new AbortController();
    const call = callRemote({ signal: controller.signal }, (port) => remote.stubborn(port));
    controller.abort();
    expect(await call).toBe('done all the same');
  });

  it('keeps an error that only happens to come after the abort', async () => {
    const { remote } = newConnection();
    const controller = new AbortController();
    const call = callRemote({ signal: controller.signal }, async () => {
      controller.abort();
      return remote.fail('native');
    });
    expect(await caught(call)).toBeInstanceOf(RangeError);
  });
});

it('reports all progress, in order, before the call returns', async () => {
  const { remote } = newConnection();
  const seen: number[] = [];
  const result = await callRemote<number, [number, number]>(
    { onProgress: (done) => seen.push(done) },
    (port) => remote.progress(100, port),
  );
  expect(result).toBe(100);
  expect(seen).toEqual(Array.from({ length: 100 }, (_, i) => i + 1));
  expect(await remote.progress(3)).toBe(3);
});

describe('event streams', () => {
  const numbers = (remote: Connection<TestService>['remote'], to: number, how = '', signal?: AbortSignal) =>
    iterateRemote<number>((port) => remote.count(to, how, port), signal);

  it('yields every event in order, however late it is read', async () => {
    const { remote } = newConnection();
    const iterator = numbers(remote, 1000)[Symbol.asyncIterator]();
    expect(await iterator.next()).toEqual({ done: false, value: 1 });
    await expect.poll(() => remote.events()).toEqual(['left']);
    const rest: number[] = [];
    for (let next = await iterator.next(); !next.done; next = await iterator.next()) rest.push(next.value);
    expect(rest).toEqual(Array.from({ length: 999 }, (_, i) => i + 2));
    expect(await iterator.next()).toEqual({ done: true, value: undefined });
  });

  it('answers reads that were made ahead', async () => {
    const iterator = numbers(newConnection().remote, 2)[Symbol.asyncIterator]();
    const results = await Promise.all([iterator.next(), iterator.next(), iterator.next()]);
    expect(results.map(({ value }) => value as number)).toEqual([1, 2, undefined]);
  });

  it('starts nothing before it is read', async () => {
    const { remote } = newConnection();
    numbers(remote, 1);
    expect(await remote.events()).toEqual([]);
  });

  it('ends with the error of the far side, after its events', async () => {
    const seen: number[] = [];
    const error = await caught(
      (async () => {
        for await (const n of numbers(newConnection().remote, 2, 'fails')) seen.push(n);
      })(),
    );
    expect(seen).toEqual([1, 2]);
    expect(error).toMatchObject({ code: 'internal', message: 'No more numbers.' });
  });

  it('ends with an error when an event cannot be sent', async () => {
    expect(await caught(collect(numbers(newConnection().remote, 1, 'uncloneable')))).toMatchObject({
      name: 'DataCloneError',
    });
  });

  it('cancels the far side when it is left', async () => {
    const { remote } = newConnection();
    for await (const n of numbers(remote, 3, 'waits')) if (n === 2) break;
    expect(await remote.events()).toEqual(['left']);
  });

  it('cancels a read that is pending when it is left by hand', async () => {
    const { remote } = newConnection();
    const iterator = numbers(remote, 0, 'waits')[Symbol.asyncIterator]();
    const pending = iterator.next();
    await iterator.return?.();
    expect(await pending).toEqual({ done: true, value: undefined });
    expect(await remote.events()).toEqual(['left']);
  });

  it('rejects with the reason of its signal', async () => {
    const controller = new AbortController();
    const iterator = numbers(newConnection().remote, 0, 'waits', controller.signal)[Symbol.asyncIterator]();
    const pending = iterator.next();
    controller.abort();
    expect(await caught(pending)).toBe(controller.signal.reason);
  });

  it('yields what the far side still says after an abort', async () => {
    const controller = new AbortController();
    const seen: number[] = [];
    for await (const n of numbers(newConnection().remote, 1, 'last words', controller.signal)) {
      seen.push(n);
      controller.abort();
    }
    expect(seen).toEqual([1, -1]);
  });
});

describe('the end of a worker', () => {
  it.each(['closes itself', 'throws outside'])('rejects every pending call when it %s', async (how) => {
    const { remote, failed } = newConnection();
    const calls = [remote.wait(), remote.die(how)].map((call) => caught(call as Promise<unknown>));
    for (const error of await Promise.all(calls)) expect(error).toMatchObject({ code: 'worker-failed' });
    expect(await failed).toMatchObject({ code: 'worker-failed' });
    expect(await caught(remote.add(1, 1))).toMatchObject({ code: 'worker-failed' });
  });

  it('rejects every pending call and stream when it is terminated, through the connection or not', async () => {
    for (const direct of [true, false]) {
      const worker = newWorker();
      const connection = newConnection(worker);
      const { remote } = connection;
      const iterator = iterateRemote<number>((port) => remote.count(1, 'waits', port))[
        Symbol.asyncIterator
      ]();
      await iterator.next();
      const pending = [iterator.next(), callRemote({ onProgress: () => {} }, (port) => remote.wait(port))];
      const errors = pending.map((each) => caught(each));
      if (direct) worker.terminate();
      else connection.terminate();
      for (const error of await Promise.all(errors)) expect(error).toMatchObject({ code: 'worker-failed' });
    }
  });

  it('is noticed through a port that was handed on', async () => {
    const worker = newWorker();
    const { remote } = newConnection(openPort(worker));
    expect(await remote.add(2, 3)).toBe(5);
    const pending = caught(remote.wait());
    worker.terminate();
    expect(await pending).toMatchObject({ code: 'worker-failed' });
  });

  it('does not concern the other connections when one lets go of its port', async () => {
    const worker = newWorker();
    const [first, second] = [newConnection(openPort(worker)), newConnection(openPort(worker))];
    expect(await first.remote.add(1, 1)).toBe(2);
    const pending = caught(first.remote.wait());
    first.terminate();
    expect(await pending).toMatchObject({ code: 'worker-failed' });
    expect(await second.remote.add(1, 2)).toBe(3);
  });

  it('tells a script that throws at its start from one that is missing', async () => {
    const broken = new Worker(new URL('./fixtures/broken.worker.ts', import.meta.url), { type: 'module' });
    const missing = new Worker('/no/such/worker.js', { type: 'module' });
    const [first, second] = await Promise.all(
      [broken, missing].map((worker) => caught(newConnection(worker).remote.add(1, 1))),
    );
    expect(first).toMatchObject({
      code: 'worker-failed',
      message: expect.stringContaining('broken at the start') as string,
    });
    expect(second).toMatchObject({
      code: 'worker-failed',
      message: expect.stringContaining('missing') as string,
    });
  });

  it('is not brought about by junk', async () => {
    const worker = newWorker();
    const { remote } = newConnection(worker);
    for (const junk of [null, 1, 'text', {}, { type: 'self-index/connect', port: 'none' }])
      worker.postMessage(junk);
    await remote.babble();
    expect(await remote.add(1, 1)).toBe(2);
  });
});
