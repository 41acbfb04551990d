import { openKept, type KeptModel } from '../../models/browser/kept.ts';
import { readKept } from '../../models/browser/read-kept.ts';
import { SelfIndexError } from '../../base/errors.ts';

/** A reader of one kept model, for `fetchModelFiles`; undefined where the model is not kept in this browser. */
export async function keptFiles(model: string): Promise<KeptFiles | undefined> {
  if (typeof navigator === 'undefined' || !('storage' in navigator)) return undefined;
  const kept = await openKept(model);
  return kept && new KeptFiles(kept);
}

export class KeptFiles {
  constructor(private readonly kept: KeptModel) {}

  /** @throws SelfIndexError `model-corrupt` where it is damaged, `model-not-found` where a needed file is not kept */
  async get(path: string, needed: boolean): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const bytes = await readKept(this.kept, path);
    const { id } = this.kept.manifest;
    if (needed && !bytes)
      throw new SelfIndexError(
        'model-not-found',
        `The model "${id}" that is kept in this browser has no ${path}. Get it again under “Models”, or choose the weights that it has.`,
        { details: { model: id, file: path } },
      );
    return bytes;
  }
}
