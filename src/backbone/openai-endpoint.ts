import { isAbort, messageOf, SelfIndexError } from '../base/errors.ts';
import { waitFor } from '../models/timers.ts';

export interface EndpointOptions {
  /** Sent as a bearer token; kept in memory only, and in no error, id or report. */
  readonly apiKey?: string;
  /** How to wait for the next try, milliseconds. Default: a timer. */
  readonly wait?: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
}

const mostTries = 5;
/** What a server may make us wait between two tries, milliseconds. */
const longestWait = 60_000;

/** @throws SelfIndexError `invalid-argument` */
export function addressOf(url: string): URL {
  let address: URL;
  try {
    address = new URL(url);
  } catch {
    throw new SelfIndexError(
      'invalid-argument',
      `"${url}" is no address: give one like http://localhost:11434/v1.`,
    );
  }
  if (address.protocol !== 'http:' && address.protocol !== 'https:')
    throw new SelfIndexError(
      'invalid-argument',
      `"${url}" is no address of the web: it must begin with http(s)://.`,
    );
  if (!address.pathname.endsWith('/')) address.pathname += '/';
  return address;
}

/** One address to which JSON is posted, again and again where it asks for patience. */
export class Endpoint {
  private readonly wait: NonNullable<EndpointOptions['wait']>;

  constructor(
    private readonly url: URL,
    private readonly options: EndpointOptions,
  ) {
    this.wait = options.wait ?? waitFor;
  }

  async post(body: unknown, signal?: AbortSignal): Promise<unknown> {
    for (let attempt = 1; ; attempt++) {
      signal?.throwIfAborted();
      const response = await this.send(body, signal);
      if (response.ok) return this.read(response, signal);
      const { status } = response;
      const retry = status === 429 || status >= 500;
      if (!retry || attempt === mostTries) throw this.failed(await reasonOf(response), status);
      await response.body?.cancel();
      await this.wait(pauseBefore(attempt, response.headers.get('retry-after')), signal);
    }
  }

  private async send(body: unknown, signal?: AbortSignal): Promise<Response> {
    const { apiKey } = this.options;
    try {
      return await fetch(this.url, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', ...(apiKey && { Authorization: `Bearer ${apiKey}` }) },
        body: JSON.stringify(body),
        signal,
        credentials: 'omit',
        referrerPolicy: 'no-referrer',
      });
    } catch (error) {
      signal?.throwIfAborted();
      throw this.failed(
        `it could not be reached (${messageOf(error)}). Is it running, and does it allow this page (CORS)?`,
      );
    }
  }

  private async read(response: Response, signal?: AbortSignal): Promise<unknown> {
    try {
      return (await response.json()) as unknown;
    } catch (error) {
      signal?.throwIfAborted();
      if (isAbort(error)) throw error;
      throw this.failed('it did not answer with JSON.', response.status);
    }
  }

  private failed(why: string, status?: number): SelfIndexError {
    const address = this.url.origin + this.url.pathname;
    return new SelfIndexError('endpoint-failed', `The endpoint ${address} failed: ${this.redact(why)}`, {
      details: { url: address, ...(status !== undefined && { status }) },
    });
  }

  /** A server may quote the key that it was sent. */
  private redact(text: string): string {
    const { apiKey } = this.options;
    return apiKey ? text.replaceAll(apiKey, '…') : text;
  }
}

async function reasonOf(response: Response): Promise<string> {
  const text = (await response.text().catch(() => '')).trim();
  return `status ${response.status}${text && `, ${text.slice(0, 300)}`}`;
}

/** Milliseconds. `Retry-After` is in seconds or a date. */
function pauseBefore(attempt: number, header: string | null): number {
  const seconds = Number(header);
  const asked =
    header === null ? NaN : Number.isNaN(seconds) ? Date.parse(header) - Date.now() : seconds * 1000;
  const pause = Number.isNaN(asked) ? 1000 * 2 ** (attempt - 1) : asked;
  return Math.min(longestWait, Math.max(0, pause));
}
