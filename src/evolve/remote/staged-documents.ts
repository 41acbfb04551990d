import { SelfIndexError } from '../../base/errors.ts';
import type { Document } from '../../corpus/types.ts';

/** What one message carries at most: documents, and UTF-16 units of text. Copying ten thousand at once stops typing for 100 ms. */
const mostDocuments = 1000;
const mostUnits = 500_000;

/** Consecutive parts of documents that are sent one by one; a document is never parted. */
export function partsOf(documents: readonly Document[]): (readonly Document[])[] {
  const parts: Document[][] = [];
  let units = Infinity;
  for (const document of documents) {
    // Nobody has checked them yet.
    const size = (document as Partial<Document> | null)?.text?.length ?? 0;
    const open = parts.at(-1);
    if (!open || open.length === mostDocuments || units + size > mostUnits) {
      parts.push([document]);
      units = size;
    } else {
      open.push(document);
      units += size;
    }
  }
  return parts;
}

/** Documents on their way across a worker boundary, by the number of their transfer; the far side of `partsOf`. */
export class StagedDocuments {
  private readonly transfers = new Map<number, (readonly Document[])[]>();
  private last = 0;

  /** Holds parts until they are taken or dropped. */
  open(parts: (readonly Document[])[] = []): number {
    this.transfers.set(++this.last, parts);
    return this.last;
  }

  push(transfer: number, part: readonly Document[]): void {
    this.of(transfer).push(part);
  }

  /** The next part, in order; null after the last, with which the transfer is over. */
  shift(transfer: number): readonly Document[] | null {
    const part = this.of(transfer).shift();
    if (!part) this.transfers.delete(transfer);
    return part ?? null;
  }

  /** All of it; the transfer is over. */
  take(transfer: number): readonly Document[] {
    const parts = this.of(transfer);
    this.transfers.delete(transfer);
    return parts.flat();
  }

  drop(transfer: number): void {
    this.transfers.delete(transfer);
  }

  private of(transfer: number): (readonly Document[])[] {
    const parts = this.transfers.get(transfer);
    if (!parts) throw new SelfIndexError('invalid-argument', `No documents are on their way as ${transfer}.`);
    return parts;
  }
}
