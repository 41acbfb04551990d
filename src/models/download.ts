import { sha1 } from '@noble/hashes/legacy.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { messageOf, SelfIndexError } from '../base/errors.ts';
import { declarations, type Declared } from './declared.ts';
import { bytesToSee, looksLikePage, misfitOf } from './misfit.ts';
import { inStorage, storageError, type PartFile } from './part-file.ts';
import { StallTimer, waitFor } from './timers.ts';

export interface Expected {
  /** Bytes. */
  readonly size?: number;
  /** Lower-case hex. */
  readonly sha256?: string;
  /** Git's name of the file, where its SHA-256 is not known. */
  readonly gitSha1?: string;
}

/** One answer of a server, with what it declared on the way there. */
export interface Answer {
  readonly response: Response;
  readonly declared: Declared;
}

export interface DownloadOptions {
  readonly signal?: AbortSignal;
  /** Bytes here, and in all where that is known. */
  readonly onProgress?: (done: number, total: number | undefined) => void;
  /** Before it waits for another try: milliseconds, and why. */
  readonly onWait?: (milliseconds: number, why: string) => void;
  /** Silence after which a connection is given up, milliseconds. Default 30,000. */
  readonly stallAfter?: number;
  /** How to wait for the next try. Default: a timer. */
  readonly wait?: (milliseconds: number, signal?: AbortSignal) => Promise<unknown>;
  /** How one request is made. Default: `fetch`, which follows redirects by itself. */
  readonly ask?: (url: string, init: RequestInit) => Promise<Answer>;
  /**
   * Whether the rest of a file is asked for with `If-Range` (default), so that a changed file comes whole. Without it, which
   * a page needs to ask another origin, the answer's validator is compared instead.
   */
  readonly conditional?: boolean;
}

export interface Downloaded {
  /** Bytes. */
  readonly size: number;
  readonly sha256: string;
  /** Against what the bytes were held: a hash known beforehand, one that the server declared, or nothing. */
  readonly verified: 'known' | 'declared' | 'no';
}

/** Tries in a row that bring not one new byte. */
const mostVainTries = 5;
/** How often what has come may be thrown away again. */
const mostRestarts = 5;
const mostTries = 100;
const longestWait = 60_000;

/** Why a try ended before the file was whole; `restart` where what had come is gone. */
interface Broken {
  readonly why: string;
  /** Milliseconds until the next try; undefined: longer every time. */
  readonly pause?: number;
  readonly restart?: true;
}
type Outcome = 'complete' | Broken;

/**
 * Downloads one file into a part (part-file.ts), which is kept when it is whole and right. What a broken call has left in it a
 * later call takes up again, where the server has the same file still. The bytes are held against `expected`, and against
 * the hash that the server declares. A file that fails is fetched once more from its start.
 *
 * @param name what the file is called; its ending says what its bytes must look like
 * @throws SelfIndexError `model-not-found` (404, or a web page instead), `model-corrupt` (wrong bytes twice), `model-load-failed` (the
 *   server or the network fails again and again), `storage-quota`, `storage-failed`. After an abort the signal's reason; the part
 *   stays, as it does after `model-load-failed` and `storage-quota`.
 */
export async function downloadFile(
  url: string,
  name: string,
  part: PartFile,
  expected: Expected = {},
  options: DownloadOptions = {},
): Promise<Downloaded> {
  const download = new Download(url, name, part, expected, options);
  let problem = await download.fetchAndCheck();
  if (problem) problem = await download.fetchAndCheck();
  if (problem)
    throw new SelfIndexError(
      'model-corrupt',
      `${url} gives the wrong bytes: ${problem}. Nothing was kept of it.`,
      { details: { url } },
    );
  return download.finish();
}

class Download {
  private declared: Declared = {};
  private hash = sha256.create();
  /** Bytes that the hash has seen. */
  private hashed = 0;
  private sha256 = '';
  /** Seen on the way, before all is here. */
  private early: string | undefined;

  constructor(
    private readonly url: string,
    private readonly name: string,
    private readonly part: PartFile,
    private readonly expected: Expected,
    private readonly options: DownloadOptions,
  ) {}

  /** What is wrong with the bytes once they are all here; then nothing of them is left. */
  async fetchAndCheck(): Promise<string | undefined> {
    this.early = undefined;
    await this.fetchAll();
    const problem = this.early ?? (await this.check());
    if (problem) await this.discard();
    return problem;
  }

  async finish(): Promise<Downloaded> {
    const size = await this.part.size();
    await inStorage(this.name, () => this.part.keep());
    const { sha256 } = this;
    const held = this.declared.sha256 ?? this.git;
    return { size, sha256, verified: this.expected.sha256 ? 'known' : held ? 'declared' : 'no' };
  }

  private get git(): string | undefined {
    return this.expected.gitSha1 ?? this.declared.gitSha1;
  }

  private async fetchAll(): Promise<void> {
    let vain = 0;
    let restarts = 0;
    for (let tries = 1; ; tries++) {
      this.options.signal?.throwIfAborted();
      const before = await this.part.size();
      let outcome: Outcome;
      try {
        outcome = await this.fetchOnce(before);
      } catch (error) {
        this.options.signal?.throwIfAborted();
        if (error instanceof SelfIndexError) throw error;
        outcome = { why: reasonOf(error) };
      }
      if (outcome === 'complete') return;
      const { why, restart } = outcome;
      const pause = Math.min(longestWait, Math.max(0, outcome.pause ?? 1000 * 2 ** vain));
      vain = (await this.part.size()) > before ? 0 : vain + 1;
      if (restart) restarts++;
      if (vain === mostVainTries || restarts > mostRestarts || tries === mostTries) throw this.failed(why);
      this.options.onWait?.(pause, why);
      await (this.options.wait ?? waitFor)(pause, this.options.signal);
    }
  }

  private async fetchOnce(from: number): Promise<Outcome> {
    const validator = from > 0 ? await this.readNote() : undefined;
    // Without a validator the rest could be another file's, which only a hash known beforehand would tell.
    const resumes = from > 0 && (validator !== undefined || this.hashIsKnown());
    const { signal, stallAfter = 30_000, ask = askOnce, conditional = true } = this.options;
    const stall = new StallTimer(stallAfter);
    try {
      const { response, declared } = await ask(this.url, {
        signal: signal ? AbortSignal.any([signal, stall.signal]) : stall.signal,
        headers: {
          'Accept-Encoding': 'identity',
          ...(resumes && { Range: `bytes=${from}-` }),
          ...(resumes && conditional && validator && { 'If-Range': validator }),
        },
      });
      this.declared = declared;
      return await this.receive(response, from, validator, stall);
    } finally {
      stall.stop();
    }
  }

  private async receive(
    response: Response,
    from: number,
    validator: string | undefined,
    stall: StallTimer,
  ): Promise<Outcome> {
    const { status, headers } = response;
    if (status === 416) {
      await response.body?.cancel();
      // What is here is not part of what is there, or is all of it already; a wrong guess shows in the check.
      if (from > 0 && (from === totalOf(headers) || from === this.expected.size)) return this.hashAll();
      return this.restart('the server refused to go on where it had stopped');
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
    // Another origin may keep Content-Range to itself; then it is the part that was asked for, or the check will tell.
    const start = status === 206 ? (startOf(headers) ?? from) : 0;
    if (start !== from && start !== 0) {
      await response.body?.cancel();
      return this.restart('the server sent another part than it was asked for');
    }
    if (start > 0 && validator !== undefined && validatorOf(headers) !== validator) {
      await response.body?.cancel();
      return this.restart('the file has changed since');
    }
    const total = totalOf(headers, start);
    await this.writeNote(headers);
    const done = await this.append(response, start, total, stall);
    // A full storage need not complain when it is written to.
    if ((await this.part.size()) < done)
      throw storageError(this.name, new DOMException('It was not written whole.', 'QuotaExceededError'));
    if (this.early !== undefined) return 'complete';
    if (total !== undefined && done < total)
      return { why: 'the connection ended early', pause: 0, ...(start < from && { restart: true }) };
    return 'complete';
  }

  /** @returns bytes that are here now */
  private async append(
    response: Response,
    start: number,
    total: number | undefined,
    stall: StallTimer,
  ): Promise<number> {
    await this.hashUpTo(start);
    const writer = await inStorage(this.name, () => this.part.write(start));
    const wanted = this.expected.size ?? this.declared.size;
    const reader = response.body?.getReader();
    let done = start;
    try {
      while (reader) {
        const { value: chunk, done: over } = await reader.read();
        if (over) break;
        this.early = this.misfitOnTheWay(done, chunk, wanted);
        if (this.early !== undefined) break;
        await inStorage(this.name, () => writer.write(chunk));
        this.hash.update(chunk);
        done += chunk.length;
        this.hashed = done;
        stall.alive();
        this.options.onProgress?.(done, total ?? wanted);
      }
    } finally {
      // What is read no further must not go on coming.
      await reader?.cancel().catch(() => {});
      await inStorage(this.name, () => writer.close());
    }
    return done;
  }

  /** What shows before all is here: nothing of a page is kept, and no disk is filled with what was not asked for. */
  private misfitOnTheWay(done: number, chunk: Uint8Array, wanted: number | undefined): string | undefined {
    if (done === 0 && looksLikePage(chunk)) return 'a web page';
    if (wanted !== undefined && done + chunk.length > wanted) return `more than ${wanted} bytes`;
    return undefined;
  }

  private async check(): Promise<string | undefined> {
    const size = await this.part.size();
    const wanted = this.expected.size ?? this.declared.size;
    if (wanted !== undefined && size !== wanted) return `${size} bytes instead of ${wanted}`;
    this.sha256 = bytesToHex(this.hash.digest());
    const hash = this.expected.sha256 ?? this.declared.sha256;
    if (hash !== undefined && this.sha256 !== hash) return `SHA-256 ${this.sha256} instead of ${hash}`;
    if (hash === undefined && this.git !== undefined && (await this.gitHash(size)) !== this.git)
      return 'another file than the one that the server declares';
    const misfit = misfitOf(this.name, await this.head());
    return misfit === 'page' ? 'a web page' : misfit;
  }

  private async hashAll(): Promise<'complete'> {
    await this.hashUpTo(await this.part.size());
    return 'complete';
  }

  /** Of what another call left, or of what the hash has not seen for another reason. */
  private async hashUpTo(end: number): Promise<void> {
    if (this.hashed === end) return;
    this.hash = sha256.create();
    this.hashed = 0;
    if (end === 0) return;
    for await (const chunk of this.part.read()) {
      const part = chunk.subarray(0, end - this.hashed);
      this.hash.update(part);
      this.hashed += part.length;
      if (this.hashed === end) return;
    }
  }

  /** Git names a file by the SHA-1 of its size and bytes. Only small files are so declared. */
  private async gitHash(size: number): Promise<string> {
    const hash = sha1.create().update(utf8ToBytes(`blob ${size}\0`));
    for await (const chunk of this.part.read()) hash.update(chunk);
    return bytesToHex(hash.digest());
  }

  /** As much of the file as it takes to see what it is. */
  private async head(): Promise<Uint8Array> {
    const enough = bytesToSee(this.name);
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of this.part.read()) {
      chunks.push(chunk);
      size += chunk.length;
      if (size >= enough) break;
    }
    const head = new Uint8Array(size);
    let at = 0;
    for (const chunk of chunks) {
      head.set(chunk, at);
      at += chunk.length;
    }
    return head.subarray(0, enough);
  }

  private async restart(why: string): Promise<Broken> {
    await this.discard();
    return { why, pause: 0, restart: true };
  }

  private async discard(): Promise<void> {
    await inStorage(this.name, () => this.part.discard());
    this.hash = sha256.create();
    this.hashed = 0;
  }

  private hashIsKnown(): boolean {
    return (this.expected.sha256 ?? this.declared.sha256) !== undefined;
  }

  /** The validator under which the part was fetched. */
  private async readNote(): Promise<string | undefined> {
    try {
      const note = JSON.parse((await this.part.note()) ?? '{}') as { url?: string; validator?: string };
      return note.url === this.url ? note.validator : undefined;
    } catch {
      return undefined;
    }
  }

  private async writeNote(headers: Headers): Promise<void> {
    const validator = validatorOf(headers);
    const note = validator === undefined ? undefined : JSON.stringify({ url: this.url, validator });
    await inStorage(this.name, () => this.part.setNote(note));
  }

  private failed(why: string): SelfIndexError {
    return new SelfIndexError(
      'model-load-failed',
      `${this.url} could not be fetched: ${why}. What has come is kept; try again later.`,
      { details: { url: this.url } },
    );
  }
}

async function askOnce(url: string, init: RequestInit): Promise<Answer> {
  // A cache between would hold everything twice.
  const response = await fetch(url, { ...init, cache: 'no-store' });
  return { response, declared: declarations(response.headers) };
}

/** What the network says lies one deeper than what `fetch` throws. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  if (cause !== undefined) return `${messageOf(error)} (${messageOf(cause)})`;
  // All that a browser says, whatever the reason.
  return /^(Failed to fetch|Load failed|NetworkError)/.test(messageOf(error))
    ? 'no answer (no network, a server that is down or does not let this page ask, or a policy of this page’s host that forbids it)'
    : messageOf(error);
}

function validatorOf(headers: Headers): string | undefined {
  const tag = headers.get('etag');
  return (tag?.startsWith('W/') ? null : (tag ?? headers.get('last-modified'))) ?? undefined;
}

/** Bytes of the whole file; undefined where nobody says, or only how large it is compressed. */
function totalOf(headers: Headers, start = 0): number | undefined {
  const range = /\/(\d+)$/.exec(headers.get('content-range') ?? '')?.[1];
  if (range !== undefined) return Number(range);
  const length = headers.get('content-length');
  return length === null || headers.has('content-encoding') ? undefined : start + Number(length);
}

function startOf(headers: Headers): number | undefined {
  const start = /^bytes (\d+)-/.exec(headers.get('content-range') ?? '')?.[1];
  return start === undefined ? undefined : Number(start);
}

/** Milliseconds; undefined where the server says nothing. */
function retryAfter(header: string | null): number | undefined {
  if (header === null) return undefined;
  const seconds = Number(header);
  const pause = Number.isNaN(seconds) ? Date.parse(header) - Date.now() : seconds * 1000;
  return Number.isNaN(pause) ? undefined : pause;
}
