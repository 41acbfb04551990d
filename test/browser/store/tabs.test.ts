import { describe, expect, it, vi } from 'vitest';
import { acquireWriter } from '../../../src/store/browser/locks.ts';
import { estimateStorage, persistStorage } from '../../../src/store/browser/persistence.ts';
import { VersionNews } from '../../../src/store/browser/tabs.ts';
import { otherTab } from './other-tab.ts';

describe('the writer', () => {
  it('is one tab at a time', async () => {
    const other = otherTab();
    const writer = await acquireWriter('notes/ü');
    expect(await other.tell('lock', 'notes/ü')).toBe('evolution-locked');
    expect(await other.tell('lock', 'other notes')).toBe('locked');
    await expect(acquireWriter('other notes')).rejects.toMatchObject({ code: 'evolution-locked' });
    await writer.release();
    await writer.release();
    expect(await other.tell('lock', 'notes/ü')).toBe('locked');
    expect(await other.tell('unlock', 'notes/ü')).toBe('unlocked');
    await (await acquireWriter('notes/ü')).release();
    other.kill();
  });

  it('is free again when its tab is killed', async () => {
    const other = otherTab();
    expect(await other.tell('lock', 'killed')).toBe('locked');
    await expect(acquireWriter('killed')).rejects.toMatchObject({ code: 'evolution-locked' });
    other.kill();
    await vi.waitFor(async () => (await acquireWriter('killed')).release());
  });

  it('is nobody where there are no Web Locks', async () => {
    const locks = vi.spyOn(navigator, 'locks', 'get').mockReturnValue(undefined as never);
    await expect(acquireWriter('a')).rejects.toMatchObject({ code: 'locks-unavailable' });
    locks.mockRestore();
  });

  it('is nobody where the browser refuses locks', async () => {
    const request = vi
      .spyOn(LockManager.prototype, 'request')
      .mockRejectedValue(new DOMException('no access', 'SecurityError'));
    await expect(acquireWriter('a')).rejects.toMatchObject({
      code: 'locks-unavailable',
      message: expect.stringContaining('no access') as string,
    });
    request.mockRestore();
  });

  it('needs a name', async () => {
    await expect(acquireWriter('')).rejects.toMatchObject({ code: 'invalid-argument' });
  });
});

describe('versions', () => {
  it('are heard of by everybody else who has the index open', async () => {
    const other = otherTab();
    const [announcer, sibling] = [new VersionNews('heard'), new VersionNews('heard')];
    const own = vi.fn();
    const elsewhere = vi.fn();
    const stops = [announcer.onVersion(own), new VersionNews('heard of').onVersion(elsewhere)];
    const beside = new Promise<number>((resolve) => stops.push(sibling.onVersion(resolve)));
    expect(await other.tell('listen', 'heard')).toBe('listening');
    announcer.announce(3);
    expect(await beside).toBe(3);
    expect(await other.next()).toBe('heard 3');
    const answered = new Promise<number>((resolve) => stops.push(announcer.onVersion(resolve)));
    expect(await other.tell('announce', 'heard')).toBe('announced');
    expect(await answered).toBe(7);
    expect(own.mock.calls).toEqual([[7]]);
    expect(elsewhere).not.toHaveBeenCalled();
    for (const stop of stops) stop();
    other.kill();
  });

  it('are not heard of after stopping; what is no notice is passed over', async () => {
    const other = otherTab();
    const news = new VersionNews('many');
    const versions: number[] = [];
    const stopped = vi.fn();
    news.onVersion(stopped)();
    const seven = new Promise<void>((resolve) => {
      news.onVersion((version) => {
        versions.push(version);
        if (version === 7) resolve();
      });
    });
    const channel = new BroadcastChannel('self-index/many/versions');
    for (const data of [null, 'x', {}, { version: -1 }, { version: '1' }, { version: 2 }])
      channel.postMessage(data);
    channel.close();
    expect(await other.tell('announce', 'many')).toBe('announced');
    await seven;
    expect(versions).toEqual([2, 7]);
    expect(stopped).not.toHaveBeenCalled();
    other.kill();
  });

  it('are heard of by nobody where there are no channels', () => {
    vi.stubGlobal('BroadcastChannel', undefined);
    const news = new VersionNews('mute');
    const stop = news.onVersion(() => undefined);
    news.announce(1);
    stop();
    vi.unstubAllGlobals();
  });
});

describe('room', () => {
  it('is estimated and asked for', async () => {
    const room = await estimateStorage();
    expect(room?.available).toBeGreaterThan(0);
    expect(room?.used).toBeGreaterThanOrEqual(0);
    expect(typeof (await persistStorage())).toBe('boolean');
  });

  it('is unknown where the browser does not tell', async () => {
    const storage = vi.spyOn(navigator, 'storage', 'get').mockReturnValue(undefined as never);
    expect([await estimateStorage(), await persistStorage()]).toEqual([null, false]);
    storage.mockRestore();
  });
});
