import { catalogueModels, type CatalogueModel } from '../../embed/catalogue.ts';
import { nameOfGiven, type GivenModelFile } from '../../models/given.ts';
import { isModelId } from '../../models/types.ts';

/** The model of the catalogue that these files may be: the one of the folder's name, or the one with weights of that size. */
export function catalogueModelOf(
  given: readonly GivenModelFile[],
  files: readonly GivenModelFile[],
): CatalogueModel | undefined {
  const name = nameOfGiven(given);
  return catalogueModels.find(
    ({ id, copy }) =>
      id === name ||
      copy.files.some(
        ({ path, size }) =>
          path.startsWith('onnx/') && files.some((file) => file.path === path && file.file.size === size),
      ),
  );
}

/** A name for a model that nobody knows. */
export function newName(given: readonly GivenModelFile[]): string {
  const name = (nameOfGiven(given) ?? '').replace(/[^\w.-]+/g, '-').replace(/^[.]+/, '');
  return isModelId(name) ? name : 'my-model';
}
