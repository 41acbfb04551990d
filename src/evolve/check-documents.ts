import { SelfIndexError } from '../base/errors.ts';
import type { Document } from '../corpus/types.ts';

/** UTF-16 units; a document is a passage, and a reader splits what is longer. */
export const longestText = 5_000_000;
const longestId = 512;
const controlCharacter = /\p{Cc}/u;

/**
 * Documents fit for the index: well-formed Unicode, ids that are unique, printable and not too long.
 * @throws SelfIndexError `invalid-argument` or `document-too-large`; nothing has been stored then
 */
export function checkDocuments(documents: readonly Document[]): Document[] {
  const seen = new Set<string>();
  return documents.map((document, position) => {
    const { id, text, title } = document;
    const refuse = (message: string) =>
      new SelfIndexError('invalid-argument', `Document ${position + 1}: ${message}`, {
        details: { position },
      });
    if (typeof id !== 'string' || id === '') throw refuse('its id must be a string that is not empty.');
    if (id.length > longestId)
      throw refuse(`its id has ${id.length} characters; at most ${longestId} are allowed.`);
    if (controlCharacter.test(id)) throw refuse('its id holds a control character; remove it.');
    if (!id.isWellFormed()) throw refuse('its id is not well-formed Unicode (a lone surrogate).');
    if (seen.has(id)) throw refuse(`its id "${id}" is used twice in one call; ids must be unique.`);
    if (typeof text !== 'string') throw refuse('its text must be a string.');
    if (title !== undefined && typeof title !== 'string') throw refuse('its title must be a string.');
    if (text.length > longestText) {
      throw new SelfIndexError(
        'document-too-large',
        `Document "${id}" has ${text.length} characters; at most ${longestText} are allowed. Split it into passages.`,
        { details: { id, length: text.length, limit: longestText } },
      );
    }
    seen.add(id);
    return {
      ...document,
      text: text.toWellFormed(),
      ...(title !== undefined && { title: title.toWellFormed() }),
    };
  });
}
