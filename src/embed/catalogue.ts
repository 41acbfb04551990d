import type { ModelKind } from '../models/types.ts';
import catalogue from './catalogue.json';

/** A file of a model, with what its bytes must be. */
export interface CatalogueFile {
  readonly path: string;
  /** Bytes. */
  readonly size: number;
  readonly sha256: string;
}

/** A model that this project knows: where it comes from, what it is, how it wants to be used. */
export interface CatalogueModel {
  /** Its folder below the models' base URL. */
  readonly id: string;
  readonly kind: ModelKind;
  readonly title: string;
  readonly licence: string;
  /** Language tags; `mul` for many. */
  readonly languages?: readonly string[];
  /** Bytes while it runs, an estimate. Default: from its kind and files (src/models/fit-device.ts). */
  readonly memory?: number;
  /** What the device must offer. */
  readonly requires?: readonly ('webgpu' | 'shader-f16')[];
  /** What was measured with this copy, in one sentence; without it nothing was. */
  readonly measured?: string;
  readonly embedding?: {
    readonly pooling: 'mean' | 'cls' | 'last';
    readonly maxTokens: number;
    readonly queryPrefix: string;
    readonly passagePrefix: string;
  };
  readonly generation?: {
    readonly contextTokens: number;
    readonly batchSize: number;
    readonly promptStyle: 'full' | 'compact';
  };
  /** The copy with which everything was measured: sizes and hashes are known. Without files: nobody here has run this model. */
  readonly copy: { readonly dtype: string; readonly from: string; readonly files: readonly CatalogueFile[] };
  /**
   * The same model on its hub. `verified` false: nobody has compared it with the copy, its files may differ in bytes and in what
   * they score, and no hash is known here beforehand.
   */
  readonly hub: {
    readonly repository: string;
    readonly revision: string;
    readonly verified: boolean;
    readonly files: readonly string[];
  };
}

export const catalogueModels = catalogue.models as readonly CatalogueModel[];

export function findCatalogueModel(id: string): CatalogueModel | undefined {
  return catalogueModels.find((model) => model.id === id);
}
