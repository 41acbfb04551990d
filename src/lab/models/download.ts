import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf, SelfIndexError } from '../../base/errors.ts';
import { misfitOf } from '../../embed/model-files.ts';
import { declaredBy, type Declared } from './declared.ts';

export interface Expected {
  readonly size?: number;
  /** Lower-case hex. */
  readonly sha256?: string;
}

export interface DownloadOptions {
  readonly signal?: AbortSignal;
  /** Bytes here, and in all where that is known. */
  readonly onProgress?: (done: number, total: number | undefined) => void;
  /** Silence after which a connection is given up, milliseconds. Default 30,000. */
  readonly stallAfter?: number;
  /** How to wait for the next try. Default: a timer. */
  readonly wait?: (milliseconds: number, signal?: AbortSignal) => Promise<unknown>;
}

export interface Downloaded {
  readonly size: number;
  readonly sha256: string;
  /** Against what the bytes were held: a hash known beforehand, one that the server declared, or nothing. */
  readonly verified: 'known' | 'declared' | 'no';
}

/** Tries in a row that bring not one new byte. */
const mostVainTries = 5;
const longestWait = 60_000;

/**
 * Downloads one file to `target`, which appears whole or not at all: bytes are gathered in `target.part`, which a later call takes
 * up again where the server has the same file still. They are held against `expected`, and against the hash that the server
 * declares (declared.ts). A file that fails is fetched once more from its start.
 *
 * @throws SelfIndexError `model-not-found` (404, or a web page instead), `model-corrupt` (wrong bytes twice), `model-load-failed` (the
 *   server or the network fails again and again). After an abort the signal's reason; the part stays.
 */
export async function downloadFile(
  url: string,
  target: string,
  expected: Expected = {},
  options: DownloadOptions = {},
): Promise<Downloaded> {
  await mkdir(dirname(target), { recursive: true });
  const download = new Download(url, target, expected, options);
  let problem = await download.fetchAndCheck();
  if (problem) problem = await download.fetchAndCheck();
  if (problem)
    throw new SelfIndexError(
      'model-corrupt',
      `${url} gives the wrong bytes: ${problem}. Nothing was kept of it.`,
      {
        details: { url },
      },
    );
  return download.finish();
}

class Download {
  private readonly part: string;
  private readonly note: string;
  private declared: Declared = {};
  private sha256 = '';

  constructor(
    private readonly url: string,
    private readonly target: string,
    private readonly expected: Expected,
    private readonly options: DownloadOptions,
  ) {
    this.part = `${target}.part`;
    this.note = `${target}.part.json`;
  }

  /** What is wrong with the bytes once they are all here; then nothing of them is left. */
  async fetchAndCheck(): Promise<string | undefined> {
    await this.fetchAll();
    const problem = await this.check();
    if (problem) await this.discard();
    return problem;
  }

  async finish(): Promise<Downloaded> {
    const size = await this.sizeOfPart();
    const handle = await open(this.part, 'r+');
    await handle.sync();
    await handle.close();
    await rename(this.part, this.target);
    await rm(this.note, { force: true });
    const { sha256 } = this;
    const held = this.declared.sha256 ?? this.declared.gitSha1;
    return { size, sha256, verified: this.expected.sha256 ? 'known' : held ? 'declared' : 'no' };
  }

  private async fetchAll(): Promise<void> {
    let vain = 0;
    for (;;) {
      this.options.signal?.throwIfAborted();
      const before = await this.sizeOfPart();
      let pause = 1000 * 2 ** vain;
      let why: string;
      try {
        const outcome = await this.fetchOnce(before);
        if (outcome === 'complete') return;
        why = outcome.why;
        pause = outcome.pause ?? pause;
      } catch (error) {
        this.options.signal?.throwIfAborted();
        if (error instanceof SelfIndexError) throw error;
        why = reasonOf(error);
      }
      vain = (await this.sizeOfPart()) > before ? 0 : vain + 1;
      if (vain === mostVainTries)
        throw new SelfIndexError(
          'model-load-failed',
          `${this.url} could not be fetched: ${why}. What has come is kept; run the same again later.`,
          { details: { url: this.url } },
        );
      const { wait = sleepFor, signal } = this.options;
      await wait(Math.min(longestWait, Math.max(0, pause)), signal);
    }
  }

  private async fetchOnce(
    from: number,
  ): Promise<'complete' | { readonly why: string; readonly pause?: number }> {
    const known = from > 0 ? await this.readNote() : undefined;
    const stall = new AbortController();
    const { signal, stallAfter = 30_000 } = this.options;
    const timer = setTimeout(() => stall.abort(new Error('the server fell silent')), stallAfter);
    try {
      const response = await declaredBy(this.url, {
        signal: signal ? AbortSignal.any([signal, stall.signal]) : stall.signal,
        headers: {
          'Accept-Encoding': 'identity',
          // Without a validator the rest could be another file's.
          ...(known && { Range: `bytes=${from}-`, 'If-Range': known }),
        },
      });
      this.declared = response.declared;
      return await this.receive(response.last, from, () => timer.refresh());
    } finally {
      clearTimeout(timer);
    }
  }

  private async receive(
    response: Response,
    from: number,
    alive: () => void,
  ): Promise<'complete' | { readonly why: string; readonly pause?: number }> {
    const { status, headers } = response;
    if (status === 416) {
      await response.body?.cancel();
      // What is here is not part of what is there, or is all of it already; a wrong guess shows in the check.
      if (from > 0 && from === this.totalOf(headers)) return 'complete';
      await this.discard();
      return { why: 'the server refused to go on where it had stopped', pause: 0 };
    }
    if (status === 429 || status >= 500) {
      await response.body?.cancel();
      return { why: `status ${status}`, pause: retryAfter(headers.get('retry-after')) };
    }
    if (status !== 200 && status !== 206) {
      await response.body?.cancel();
      throw new SelfIndexError('model-not-found', `${this.url} is not there (status ${status}).`, {
        details: { url: this.url, status },
      });
    }
    if (headers.get('content-type')?.startsWith('text/html')) {
      await response.body?.cancel();
      throw new SelfIndexError('model-not-found', `${this.url} is a web page, not a file of a model.`, {
        details: { url: this.url },
      });
    }
    const start = status === 206 ? startOf(headers) : 0;
    if (start !== from && start !== 0) {
      await response.body?.cancel();
      await this.discard();
      return { why: 'the server sent another part than it was asked for', pause: 0 };
    }
    const total = this.totalOf(headers);
    await this.writeNote(headers);
    await this.append(response, start, total, alive);
    const size = await this.sizeOfPart();
    return total !== undefined && size < total ? { why: 'the connection ended early', pause: 0 } : 'complete';
  }

  private async append(
    response: Response,
    start: number,
    total: number | undefined,
    alive: () => void,
  ): Promise<void> {
    // Chunk by chunk to the disk: a stream between would lose what it holds when the line breaks.
    const file = await open(this.part, start === 0 ? 'w' : 'a');
    let done = start;
    try {
      for await (const chunk of response.body ?? []) {
        await file.writeFile(chunk);
        done += chunk.length;
        alive();
        this.options.onProgress?.(done, total);
      }
    } finally {
      await file.close();
    }
  }

  private async check(): Promise<string | undefined> {
    const size = await this.sizeOfPart();
    const wanted = this.expected.size ?? this.declared.size;
    if (wanted !== undefined && size !== wanted) return `${size} bytes instead of ${wanted}`;
    const sha256 = createHash('sha256');
    // Git names a file by the SHA-1 of its size and bytes.
    const git = createHash('sha1').update(`blob ${size}\0`);
    for await (const chunk of createReadStream(this.part) as AsyncIterable<Buffer>) {
      sha256.update(chunk);
      git.update(chunk);
    }
    this.sha256 = sha256.digest('hex');
    const hash = this.expected.sha256 ?? this.declared.sha256;
    if (hash !== undefined && this.sha256 !== hash) return `SHA-256 ${this.sha256} instead of ${hash}`;
    if (
      hash === undefined &&
      this.declared.gitSha1 !== undefined &&
      git.digest('hex') !== this.declared.gitSha1
    )
      return 'another file than the one that the server declares';
    const misfit = misfitOf(this.target, await this.head());
    return misfit === 'page' ? 'a web page' : misfit;
  }

  /** All of a small file, the beginning of a large one: enough to see what it is. */
  private async head(): Promise<Uint8Array> {
    if (this.target.endsWith('.json')) return readFile(this.part);
    const handle = await open(this.part, 'r');
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(64), 0, 64, 0);
    await handle.close();
    return buffer.subarray(0, bytesRead);
  }

  private totalOf(headers: Headers): number | undefined {
    const range = /\/(\d+)$/.exec(headers.get('content-range') ?? '')?.[1];
    const total = range ?? headers.get('content-length');
    return total === null ? undefined : Number(total);
  }

  private async sizeOfPart(): Promise<number> {
    return stat(this.part).then(
      ({ size }) => size,
      () => 0,
    );
  }

  /** The validator under which the part was fetched. */
  private async readNote(): Promise<string | undefined> {
    try {
      const note = JSON.parse(await readFile(this.note, 'utf8')) as { url?: string; validator?: string };
      return note.url === this.url ? note.validator : undefined;
    } catch {
      return undefined;
    }
  }

  private async writeNote(headers: Headers): Promise<void> {
    const tag = headers.get('etag');
    const validator = tag?.startsWith('W/') ? null : (tag ?? headers.get('last-modified'));
    if (validator) await writeFile(this.note, JSON.stringify({ url: this.url, validator }));
    else await rm(this.note, { force: true });
  }

  private async discard(): Promise<void> {
    await Promise.all([this.part, this.note].map((path) => rm(path, { force: true })));
  }
}

/** What the network says lies one deeper than what `fetch` throws. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause === undefined ? messageOf(error) : `${messageOf(error)} (${messageOf(cause)})`;
}

function startOf(headers: Headers): number {
  return Number(/^bytes (\d+)-/.exec(headers.get('content-range') ?? '')?.[1] ?? NaN);
}

/** Milliseconds; undefined where the server says nothing. */
function retryAfter(header: string | null): number | undefined {
  if (header === null) return undefined;
  const seconds = Number(header);
  const pause = Number.isNaN(seconds) ? Date.parse(header) - Date.now() : seconds * 1000;
  return Number.isNaN(pause) ? undefined : pause;
}

async function sleepFor(milliseconds: number, signal?: AbortSignal): Promise<void> {
  await sleep(milliseconds, undefined, { signal });
}
