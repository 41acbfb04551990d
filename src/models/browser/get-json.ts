import { messageOf, SelfIndexError } from '../../base/errors.ts';

/**
 * Asks a server for JSON; undefined where it has none.
 * @throws SelfIndexError `model-load-failed` where it does not answer, or may not be asked
 */
export async function getJson(url: string, signal?: AbortSignal): Promise<unknown> {
  let response: Response;
  try {
    response = await fetch(url, { signal, cache: 'no-store', headers: { Accept: 'application/json' } });
  } catch (error) {
    signal?.throwIfAborted();
    throw new SelfIndexError(
      'model-load-failed',
      `${new URL(url, globalThis.location.href).host} could not be asked: ${messageOf(error)}. It may be down or without a network, it may not allow this page to ask (CORS), or the policy of this page’s host forbids it (connect-src).`,
      { details: { url }, cause: error },
    );
  }
  if (response.status === 429 || response.status >= 500) {
    await response.body?.cancel();
    throw new SelfIndexError(
      'model-load-failed',
      `${url} answered with status ${response.status}. Try again later.`,
      {
        details: { url, status: response.status },
      },
    );
  }
  if (!response.ok) {
    await response.body?.cancel();
    return undefined;
  }
  try {
    return (await response.json()) as unknown;
  } catch {
    return undefined;
  }
}
