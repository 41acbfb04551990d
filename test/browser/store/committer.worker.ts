import { acquireWriter, type Writer } from '../../../src/store/browser/locks.ts';
import { VersionNews } from '../../../src/store/browser/tabs.ts';
import { openIndexedDbStore } from '../../../src/store/indexeddb.ts';
import { commitOf, documents, generated, query } from '../../unit/store/samples.ts';

/** Another tab, as far as storage, locks and channels are concerned: does what it is told and answers when it is done. */
export type Order = {
  readonly does: 'lock' | 'unlock' | 'announce' | 'listen' | 'open' | 'commit forever';
  readonly name: string;
};

export const bornPerCommit = 200;

let writer: Writer | undefined;

async function obey({ does, name }: Order): Promise<unknown> {
  switch (does) {
    case 'lock':
      writer = await acquireWriter(name);
      return 'locked';
    case 'unlock':
      await writer?.release();
      return 'unlocked';
    case 'announce':
      new VersionNews(name).announce(7);
      return 'announced';
    case 'listen':
      new VersionNews(name).onVersion((version) => postMessage(`heard ${version}`));
      return 'listening';
    case 'open':
      await (await openIndexedDbStore(name)).putDocuments(documents);
      return 'opened';
    case 'commit forever': {
      const store = await openIndexedDbStore(name);
      for (let version = (await store.currentVersion()) + 1; ; version++) {
        const born = Array.from({ length: bornPerCommit }, (_, i) =>
          generated('tea', `key ${version}.${i}`, version),
        );
        postMessage('committing');
        await store.commit(commitOf(version, { born, queries: [query(`q${version}`)] }));
      }
    }
  }
}

onmessage = ({ data }: MessageEvent<Order>) => {
  obey(data).then(
    (answer) => postMessage(answer),
    (error: { code: string }) => postMessage(error.code),
  );
};
