import { qualifiedName } from '../names.ts';

interface Notice {
  readonly version: number;
}

/**
 * How those that have one index open, in any tab or worker of this origin, tell each other that it has changed. An object of
 * this class hears what others announce, not what it announces itself. Change first, announce then: who hears of a version
 * can read it. Without BroadcastChannel nobody hears anything.
 */
export class VersionNews {
  readonly #channelName: string;
  readonly #listeners = new Set<(version: number) => void>();
  #channel: BroadcastChannel | undefined;

  constructor(name: string) {
    this.#channelName = `${qualifiedName(name)}/versions`;
  }

  announce(version: number): void {
    if (typeof BroadcastChannel === 'undefined') return;
    const notice: Notice = { version };
    if (this.#channel) {
      this.#channel.postMessage(notice);
      return;
    }
    const channel = new BroadcastChannel(this.#channelName);
    channel.postMessage(notice);
    channel.close();
  }

  /** Calls `listener` for every version that others announce, until the returned function is called. */
  onVersion(listener: (version: number) => void): () => void {
    this.#listeners.add(listener);
    this.#listen();
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0) return;
      this.#channel?.close();
      this.#channel = undefined;
    };
  }

  #listen(): void {
    if (this.#channel || typeof BroadcastChannel === 'undefined') return;
    this.#channel = new BroadcastChannel(this.#channelName);
    this.#channel.onmessage = ({ data }: MessageEvent<unknown>) => {
      if (isNotice(data)) for (const listener of this.#listeners) listener(data.version);
    };
  }
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
