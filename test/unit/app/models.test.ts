import { describe, expect, it } from 'vitest';
import { catalogueModelOf, newName } from '../../../src/app/models/given-name.ts';
import { offersOf } from '../../../src/app/models/offers.ts';
import { goingInWords, languagesInWords, verifiedInWords } from '../../../src/app/words/models.ts';
import { catalogueModels } from '../../../src/embed/catalogue.ts';

const base = 'https://page.example/app/';
const miniLm = 'all-MiniLM-L6-v2';
const copy = catalogueModels.find(({ id }) => id === miniLm)?.copy.files ?? [];
const sizes = copy.map(({ path, size }) => ({ path, size }));

describe('offers', () => {
  it('are the catalogue from its hubs, where the page serves nothing', () => {
    const offers = offersOf([], [miniLm], base);
    expect(offers.map(({ id }) => id)).toEqual(catalogueModels.map(({ id }) => id));
    const offer = offers.find(({ id }) => id === miniLm);
    expect(offer).toMatchObject({ kept: true, bytes: copy.reduce((sum, { size }) => sum + size, 0) });
    expect(offer?.places.map(({ name }) => name)).toEqual(['huggingface.co/Xenova/all-MiniLM-L6-v2']);
    // Nobody has compared the hub's files with the copy: no hash of the copy is asked of them.
    expect(offer?.places[0].request.known).toBeUndefined();
  });

  it('put the page’s own server first, held against the catalogue’s hashes', () => {
    const served = { id: miniLm, kind: 'embedder', bytes: 1, files: sizes } as const;
    const [place] = offersOf([served], [], base)[0].places;
    expect(place.request.source).toEqual({ kind: 'address', base: `${base}models/${miniLm}/` });
    expect(place.request.known).toEqual(copy);
  });

  it('hold another copy against what the server lists', () => {
    const files = [{ path: 'config.json', size: 1, sha256: 'a'.repeat(64) }, sizes[4]];
    const served = { id: miniLm, kind: 'embedder', bytes: 1, files } as const;
    const [place] = offersOf([served], [], base)[0].places;
    expect(place.request.known).toEqual([{ ...files[0], by: 'declared' }, copy[4]]);
  });

  it('say no size of a model of which nobody here has a copy, unless the page serves one', () => {
    const unknown = catalogueModels.find(({ copy: { files } }) => files.length === 0);
    const id = unknown?.id ?? '';
    const offerOf = (served: Parameters<typeof offersOf>[0]) =>
      offersOf(served, [], base).find((offer) => offer.id === id);
    expect(offerOf([])).toMatchObject({ sized: false });
    expect(offerOf([{ id, kind: 'embedder', bytes: 9, files: [] }])).toMatchObject({ sized: true, bytes: 9 });
    // What it needs must not be guessed from a size of nothing.
    expect(unknown?.memory).toBeGreaterThan(1e8);
  });

  it('show what the page serves besides the catalogue', () => {
    const served = { id: 'own', kind: 'generator', bytes: 7, files: [] } as const;
    const offer = offersOf([served], [], base).at(-1);
    expect(offer).toMatchObject({ id: 'own', kind: 'generator', bytes: 7 });
    expect(offer?.places.map(({ request }) => request.known)).toEqual([undefined]);
  });
});

describe('files that a person gives', () => {
  const folder = (name: string) => sizes.map(({ path }) => ({ path: `${name}/${path}`, file: new Blob() }));

  it('are known by their folder’s name, or by the size of their weights', () => {
    expect(catalogueModelOf(folder(miniLm), [])?.id).toBe(miniLm);
    expect(catalogueModelOf(folder('other'), [])).toBeUndefined();
    const weights = { path: 'onnx/model_quantized.onnx', file: new Blob([new Uint8Array(22_853_751)]) };
    expect(catalogueModelOf(folder('other'), [weights])?.id).toBe(miniLm);
  });

  it('else get the folder’s name as far as it can be one', () => {
    expect(newName(folder('my model (1)'))).toBe('my-model-1-');
    expect(newName([])).toBe('my-model');
  });
});

describe('words', () => {
  it('say how far it is', () => {
    expect(goingInWords({ done: 500 })).toBe('500 B');
    expect(goingInWords({ done: 1.5e6, total: 3e6, bytesPerSecond: 5e5, secondsLeft: 3 })).toBe(
      '1.5 MB of 3.0 MB, 500 KB a second, 3 seconds left',
    );
  });

  it('say languages and who vouches', () => {
    expect(languagesInWords(['en'])).toBe('English');
    expect(languagesInWords(['en', 'de'])).toBe('English and German');
    expect(languagesInWords(['mul'])).toBe('many languages');
    const file = { path: 'a', size: 1, sha256: '' };
    expect(verifiedInWords([{ ...file, verified: 'known' }])).toContain('catalogue');
    expect(
      verifiedInWords([
        { ...file, verified: 'known' },
        { ...file, verified: 'declared' },
      ]),
    ).toContain('server');
    expect(verifiedInWords([{ ...file, verified: 'no' }])).toContain('unverified');
  });
});
