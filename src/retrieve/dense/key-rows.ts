import { SelfIndexError } from '../../base/errors.ts';
import type { RowLabels } from '../../kernel/types.ts';
import type { IndexKey } from '../../keys/types.ts';

/** Which row of the kernel is which key, and which number is which document. */
export class KeyRows {
  private readonly keys: (IndexKey | undefined)[] = [];
  private readonly rows = new Map<string, number>();
  private readonly numbers = new Map<string, number>();
  private readonly ids: string[] = [];
  private readonly originals = new Map<string, number>();

  /** Documents ever seen. */
  get documentCount(): number {
    return this.ids.length;
  }

  /** Names the rows from `first` on; to be called before the kernel gets their vectors. */
  add(keys: readonly IndexKey[], first: number): RowLabels {
    const documents = new Uint32Array(keys.length);
    const originals = new Uint8Array(keys.length);
    keys.forEach((key, i) => {
      if (this.rows.has(key.id)) {
        throw new SelfIndexError(
          'invalid-argument',
          `The key "${key.text.slice(0, 80)}" is in the index already.`,
        );
      }
      this.keys[first + i] = key;
      this.rows.set(key.id, first + i);
      documents[i] = this.number(key.documentId);
      if (key.kind !== 'original') return;
      originals[i] = 1;
      this.originals.set(key.documentId, first + i);
    });
    return { documents, originals };
  }

  /** The row that is free now; undefined for a key without one. */
  remove(key: IndexKey): number | undefined {
    const row = this.rows.get(key.id);
    if (row === undefined) return undefined;
    this.rows.delete(key.id);
    this.keys[row] = undefined;
    if (this.originals.get(key.documentId) === row) this.originals.delete(key.documentId);
    return row;
  }

  key(row: number): IndexKey {
    const key = this.keys[row];
    if (!key) throw new SelfIndexError('internal', `Row ${row} of the dense index has no key.`);
    return key;
  }

  /** @throws SelfIndexError `invalid-argument` for a key that is not in the index */
  row(keyId: string): number {
    return known(this.rows.get(keyId), keyId, 'key');
  }

  /** @throws SelfIndexError `invalid-argument` for a document that is not in the index */
  originalRow(documentId: string): number {
    return known(this.originals.get(documentId), documentId, 'document');
  }

  documentId(number: number): string {
    return this.ids[number];
  }

  /** Bit per row: set where it is an original key. */
  originalsBitmap(length: number): Uint32Array {
    const bitmap = new Uint32Array((length + 31) >> 5);
    for (const row of this.originals.values()) bitmap[row >> 5] |= 1 << (row & 31);
    return bitmap;
  }

  private number(documentId: string): number {
    let number = this.numbers.get(documentId);
    if (number === undefined) {
      number = this.ids.push(documentId) - 1;
      this.numbers.set(documentId, number);
    }
    return number;
  }
}

function known(row: number | undefined, id: string, what: string): number {
  if (row === undefined) {
    throw new SelfIndexError('invalid-argument', `No ${what} "${id}" is in the dense index.`, {
      details: { id },
    });
  }
  return row;
}
