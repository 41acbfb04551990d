import type { KeptManifest } from '../types.ts';

/**
 * Models for which there was no room, held in memory by the worker that fetched them until its tab is closed, and handed to every
 * worker of this origin that asks. A lock of the model's name says that somebody holds it; a channel carries the files (as
 * blobs: they are not copied).
 */
export interface SessionModel {
  readonly manifest: KeptManifest;
  readonly files: ReadonlyMap<string, Blob>;
}

const channelName = 'self-index/session-models';
const prefix = 'self-index/session-model/';

interface Question {
  readonly asked: string;
  readonly nonce: string;
}
interface Reply {
  readonly nonce: string;
  readonly model: SessionModel;
}

/** The side that holds. */
export class SessionModels {
  private readonly held = new Map<string, { readonly model: SessionModel; readonly release: () => void }>();
  private channel: BroadcastChannel | undefined;

  async hold(model: SessionModel): Promise<void> {
    const { id } = model.manifest;
    this.release(id);
    this.answer();
    await new Promise<void>((resolve, reject) => {
      navigator.locks
        .request(prefix + id, { mode: 'shared' }, () => {
          resolve();
          return new Promise<void>((release) => this.held.set(id, { model, release }));
        })
        .catch(reject);
    });
  }

  has(id: string): boolean {
    return this.held.has(id);
  }

  release(id: string): void {
    this.held.get(id)?.release();
    this.held.delete(id);
  }

  private answer(): void {
    if (this.channel) return;
    this.channel = new BroadcastChannel(channelName);
    this.channel.onmessage = ({ data }: MessageEvent<Partial<Question>>) => {
      const { asked, nonce } = data;
      const model = asked === undefined ? undefined : this.held.get(asked)?.model;
      if (model && nonce !== undefined) this.channel?.postMessage({ nonce, model } satisfies Reply);
    };
  }
}

/** undefined where nobody holds it. */
export async function findSession(id: string): Promise<SessionModel | undefined> {
  if (!(await heldNames()).includes(id)) return undefined;
  const channel = new BroadcastChannel(channelName);
  const ended = new AbortController();
  try {
    return await new Promise<SessionModel | undefined>((resolve) => {
      const nonce = crypto.randomUUID();
      channel.onmessage = ({ data }: MessageEvent<Partial<Reply>>) => {
        if (data.nonce === nonce) resolve(data.model);
      };
      channel.postMessage({ asked: id, nonce } satisfies Question);
      // Free again: whoever held it has gone without an answer.
      navigator.locks
        .request(prefix + id, { mode: 'exclusive', signal: ended.signal }, () => resolve(undefined))
        .catch(() => resolve(undefined));
    });
  } finally {
    ended.abort();
    channel.close();
  }
}

export async function listSession(): Promise<KeptManifest[]> {
  const models = await Promise.all((await heldNames()).map((id) => findSession(id)));
  return models.filter((model) => model !== undefined).map(({ manifest }) => manifest);
}

async function heldNames(): Promise<string[]> {
  const { locks } = navigator as { locks?: LockManager };
  const { held = [] } = (await locks?.query()) ?? {};
  const names = held.map(({ name = '' }) => name).filter((name) => name.startsWith(prefix));
  return [...new Set(names)].map((name) => name.slice(prefix.length));
}
