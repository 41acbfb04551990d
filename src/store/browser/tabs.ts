import { qualifiedName } from '../names.ts';

interface Notice {
  readonly version: number;
}

/**
 * Tells every listener of this origin, in this tab and its workers as in others, that an index has a new version. The commit
 * comes first: who hears of a version can read it. Does nothing where the browser has no BroadcastChannel.
 */
export function announceVersion(name: string, version: number): void {
  if (typeof BroadcastChannel === 'undefined') return;
  const channel = new BroadcastChannel(channelName(name));
  channel.postMessage({ version } satisfies Notice);
  channel.close();
}

/** Calls `listener` for every announced version, until the returned function is called. */
export function onVersion(name: string, listener: (version: number) => void): () => void {
  if (typeof BroadcastChannel === 'undefined') return () => undefined;
  const channel = new BroadcastChannel(channelName(name));
  channel.onmessage = ({ data }: MessageEvent<unknown>) => {
    if (isNotice(data)) listener(data.version);
  };
  return () => channel.close();
}

function channelName(name: string): string {
  return `${qualifiedName(name)}/versions`;
}

function isNotice(data: unknown): data is Notice {
  return (
    typeof data === 'object' &&
    data !== null &&
    'version' in data &&
    Number.isSafeInteger(data.version) &&
    (data.version as number) >= 0
  );
}
