import { declarations, type Declared } from '../../models/declared.ts';
import type { Answer } from '../../models/download.ts';

const mostRedirects = 10;

/** Fetches, following redirects by hand: the hub declares a file's hash on the answer that sends one elsewhere. */
export async function declaredBy(url: string, init: RequestInit): Promise<Answer> {
  let declared: Declared = {};
  let here = url;
  for (let hop = 0; ; hop++) {
    const response = await fetch(here, { ...init, redirect: 'manual' });
    declared = { ...declared, ...declarations(response.headers) };
    const location = response.headers.get('location');
    if (response.status < 300 || response.status >= 400 || location === null || hop === mostRedirects)
      return { response, declared };
    await response.body?.cancel();
    here = new URL(location, here).href;
  }
}
