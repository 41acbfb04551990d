import { expect, it } from 'vitest';
import { Turns } from '../../../src/backbone/turns.ts';

function gate() {
  let open: () => void = () => {};
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open: () => open() };
}

it('does one thing after the other, also after a failure', async () => {
  const turns = new Turns();
  const log: string[] = [];
  const { opened, open } = gate();
  const first = turns.run(undefined, async () => {
    await opened;
    log.push('first');
    throw new Error('no');
  });
  const second = turns.run(undefined, async () => log.push('second'));
  const outcome = expect(first).rejects.toThrow('no');
  expect(log).toEqual([]);
  open();
  await outcome;
  await second;
  expect(log).toEqual(['first', 'second']);
});

it('tells an abort at once, and waits for what is under way before the next', async () => {
  const turns = new Turns();
  const { opened, open } = gate();
  const log: string[] = [];
  const controller = new AbortController();
  const begun = gate();
  const running = turns.run(controller.signal, async () => {
    begun.open();
    await opened;
    log.push('ended');
  });
  const waiting = turns.run(controller.signal, async () => log.push('never'));
  const next = turns.run(undefined, async () => log.push('next'));
  const reason = new Error('stop');
  await begun.opened;
  controller.abort(reason);
  await expect(running).rejects.toBe(reason);
  await expect(waiting).rejects.toBe(reason);
  expect(log).toEqual([]);
  open();
  await next;
  await turns.idle();
  expect(log).toEqual(['ended', 'next']);
});
