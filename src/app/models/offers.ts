import { catalogueModels, type CatalogueModel } from '../../embed/catalogue.ts';
import type { ModelNeeds } from '../../models/fit-device.ts';
import { publicHub, type ListedFile, type ModelRequest } from '../../models/source.ts';
import type { KnownFile, ModelLabel } from '../../models/types.ts';
import type { ServedModel } from '../intake/models.ts';

/** A place that a model can be had from: chosen by a person before anything is fetched. */
export interface Place {
  readonly name: string;
  readonly request: ModelRequest;
}

/** A model that the catalogue or the page's server offers. */
export interface Offer extends ModelNeeds {
  readonly title: string;
  /** False where only the place that it comes from can tell its size: `bytes` is 0 then. */
  readonly sized: boolean;
  readonly licence?: string;
  readonly languages?: readonly string[];
  /** Tokens that it reads at once. */
  readonly contextTokens?: number;
  readonly measured?: string;
  readonly places: readonly Place[];
}

/**
 * What there is to get: the catalogue, and what the page's server has besides.
 * @param base address of the page, below which its models lie
 */
export function offersOf(served: readonly ServedModel[], kept: readonly string[], base: string): Offer[] {
  const known = catalogueModels.map((model) => {
    const here = served.find(({ id }) => id === model.id);
    return catalogueOffer(
      model,
      kept.includes(model.id),
      here && { place: servedPlace(here, model.copy.files, labelOf(model), base), bytes: here.bytes },
    );
  });
  const others = served.filter(({ id }) => !catalogueModels.some((model) => model.id === id));
  return [
    ...known,
    ...others.map((model) => ({
      id: model.id,
      kind: model.kind,
      bytes: model.bytes,
      title: model.id,
      sized: true,
      kept: kept.includes(model.id),
      places: [servedPlace(model, [], { id: model.id, kind: model.kind }, base)],
    })),
  ];
}

function catalogueOffer(
  model: CatalogueModel,
  kept: boolean,
  here: { readonly place: Place; readonly bytes: number } | undefined,
): Offer {
  const { id, kind, title, licence, languages, memory, requires, measured, embedding, generation } = model;
  const bytes = model.copy.files.reduce((sum, { size }) => sum + size, 0) || (here?.bytes ?? 0);
  const contextTokens = generation?.contextTokens ?? embedding?.maxTokens;
  return {
    id,
    kind,
    title,
    licence,
    sized: bytes > 0,
    bytes,
    kept,
    ...(languages && { languages }),
    ...(memory !== undefined && { memory }),
    ...(requires && { requires }),
    ...(measured !== undefined && { measured }),
    ...(contextTokens !== undefined && { contextTokens }),
    places: [...(here ? [here.place] : []), hubPlace(model)],
  };
}

/** What the server lists, with the catalogue's hash where it may be that copy. */
function servedPlace(
  { id, files }: ServedModel,
  copy: readonly KnownFile[],
  label: ModelLabel,
  base: string,
): Place {
  const source = { kind: 'address', base: new URL(`models/${id}/`, base).href } as const;
  const listed = files.map((file): ListedFile => {
    const known = copy.find(({ path, size }) => path === file.path && size === file.size);
    if (known && (file.sha256 ?? known.sha256) === known.sha256) return known;
    return { ...file, by: 'declared' };
  });
  const request = { ...label, source, ...(listed.length > 0 && { known: listed }) };
  return { name: 'this page’s server', request };
}

function hubPlace(model: CatalogueModel): Place {
  const { repository, revision, verified, files } = model.hub;
  return {
    name: `huggingface.co/${repository}`,
    request: {
      ...labelOf(model),
      source: { kind: 'hub', hub: publicHub, repository, revision },
      ...(verified ? { known: model.copy.files } : { paths: files }),
    },
  };
}

function labelOf({ id, kind, title, licence }: CatalogueModel): ModelLabel {
  return { id, kind, title, licence };
}
