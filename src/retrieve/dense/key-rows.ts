import { SelfIndexError, type ErrorCode } from '../../base/errors.ts';
import type { RowLabels } from '../../kernel/types.ts';
import type { IndexKey } from '../../keys/types.ts';
import type { HeldKeys } from '../key-changes.ts';

/** Which row of the kernel is which key, and which number is which document. */
export class KeyRows implements HeldKeys {
  private readonly keys: (IndexKey | undefined)[] = [];
  private readonly rows = new Map<string, number>();
  private readonly numbers = new Map<string, number>();
  private readonly ids: string[] = [];
  private readonly originals = new Map<string, number>();
  /** Per document number the rows of its keys. */
  private readonly documentRows: Set<number>[] = [];

  /** Documents ever seen. */
  get documentCount(): number {
    return this.ids.length;
  }

  /** What the kernel is told of keys that are to be added. */
  labels(keys: readonly IndexKey[]): RowLabels {
    return {
      documents: Uint32Array.from(keys, (key) => this.number(key.documentId)),
      originals: Uint8Array.from(keys, (key) => (key.kind === 'original' ? 1 : 0)),
    };
  }

  /** Names the rows from `first` on. */
  add(keys: readonly IndexKey[], first: number): void {
    keys.forEach((key, i) => {
      const row = first + i;
      this.keys[row] = key;
      this.rows.set(key.id, row);
      this.documentRows[this.number(key.documentId)].add(row);
      if (key.kind === 'original') this.originals.set(key.documentId, row);
    });
  }

  /** Frees the row of a key that is there; returns it. */
  remove(keyId: string): number {
    const row = this.row(keyId);
    const key = this.key(row);
    this.rows.delete(keyId);
    this.keys[row] = undefined;
    this.documentRows[this.number(key.documentId)].delete(row);
    if (key.kind === 'original') this.originals.delete(key.documentId);
    return row;
  }

  has(keyId: string): boolean {
    return this.rows.has(keyId);
  }

  originalOf(documentId: string): string | undefined {
    const row = this.originals.get(documentId);
    return row === undefined ? undefined : this.key(row).id;
  }

  /** Expansion keys are for BM25. */
  expansionOf(): undefined {
    return undefined;
  }

  /** Ids of all keys of a key's document; none for a key that is not there. */
  siblings(keyId: string): string[] {
    const row = this.rows.get(keyId);
    if (row === undefined) return [];
    return Array.from(
      this.documentRows[this.number(this.key(row).documentId)],
      (other) => this.key(other).id,
    );
  }

  key(row: number): IndexKey {
    const key = this.keys[row];
    if (!key) throw new SelfIndexError('internal', `Row ${row} of the dense index has no key.`);
    return key;
  }

  /** @throws SelfIndexError `invalid-argument` for a key that is not in the index */
  row(keyId: string): number {
    return known(this.rows.get(keyId), keyId, 'key', 'invalid-argument');
  }

  /** @throws SelfIndexError `document-not-found` for a document that is not in the index */
  originalRow(documentId: string): number {
    return known(this.originals.get(documentId), documentId, 'document', 'document-not-found');
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
      this.documentRows.push(new Set());
    }
    return number;
  }
}

function known(row: number | undefined, id: string, what: string, code: ErrorCode): number {
  if (row === undefined) {
    throw new SelfIndexError(code, `There is no ${what} ${JSON.stringify(id)} in the dense index.`, {
      details: { id },
    });
  }
  return row;
}
