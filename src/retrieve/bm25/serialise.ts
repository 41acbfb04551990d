import { compareIds } from '../../base/order.ts';
import type { KeyKind } from '../../keys/types.ts';
import type { Bm25Index } from './bm25-index.ts';
import { ByteWriter, checksum } from './bytes.ts';
import type { KeyField } from './key-field.ts';

/** First bytes of the format, and its version. */
export const magic = Uint8Array.of(0x53, 0x49, 0x42, 0x4d, 1); // SIBM
export const kinds: readonly KeyKind[] = ['original', 'generated', 'expansion'];

/**
 * The index in bytes: analyser and parameters; terms in code unit order, documents by id and keys by document, each
 * without the prefix that it shares with the one before; per field and term the gaps between slots, doubled, plus one
 * where a frequency follows that is not the most common; a checksum. Removed keys are left out, and equal indexes give
 * equal bytes.
 */
export function serialise(index: Bm25Index): Uint8Array {
  const writer = new ByteWriter();
  writer.raw(magic);
  writer.text(index.analyser.id);
  writer.float(index.parameters.k1);
  writer.float(index.parameters.b);

  const keys = [...index.livingKeys()].sort(
    (a, b) => compareIds(a.documentId, b.documentId) || compareIds(a.id, b.id),
  );
  const documents = keys.filter((key) => key.kind === 'original');
  const numberOf = new Map(documents.map((key, i) => [key.documentId, i]));
  writeSorted(
    writer,
    documents.map((key) => key.documentId),
  );
  const slots = kinds.map((kind) => {
    const own = keys.filter((key) => key.kind === kind);
    writer.number(own.length);
    let previous = 0;
    for (const { id, documentId } of own) {
      const document = numberOf.get(documentId) ?? 0;
      writer.number(document - previous);
      previous = document;
      writeKeyId(writer, id, documentId);
    }
    return Uint32Array.from(own, (key) => key.slot);
  });

  const fields = kinds.map((kind, i) => new LivingPostings(index.field(kind), slots[i]));
  const names = index.vocabulary.terms();
  const terms = names
    .map((name, term) => ({ name, term }))
    .filter(({ term }) => fields.some((field) => field.has(term)))
    .sort((a, b) => compareIds(a.name, b.name));
  writeSorted(
    writer,
    terms.map(({ name }) => name),
  );
  const codes = frequencyCodes(
    fields,
    terms.map(({ term }) => term),
  );
  writer.number(codes.size);
  for (const frequency of codes.keys()) writer.float(frequency);
  fields.forEach((field, i) => {
    if (slots[i].length > 0) for (const { term } of terms) writePostings(writer, field, term, codes);
  });

  const bytes = writer.finish();
  const end = new ByteWriter();
  end.number(checksum(bytes));
  const tail = end.finish();
  const whole = new Uint8Array(bytes.length + tail.length + 1);
  whole.set(bytes);
  whole.set(tail, bytes.length);
  whole[whole.length - 1] = tail.length;
  return whole;
}

/** The postings of one field without the dead, slots numbered anew. */
class LivingPostings {
  private readonly renumbered: Int32Array;

  constructor(
    private readonly field: KeyField,
    slots: Uint32Array,
  ) {
    this.renumbered = new Int32Array(field.size).fill(-1);
    slots.forEach((slot, i) => (this.renumbered[slot] = i));
  }

  has(term: number): boolean {
    const { postings } = this.field;
    const start = postings.count(term) === 0 ? 0 : postings.starts[term];
    for (let at = start; at < start + postings.count(term); at++) {
      if (this.renumbered[postings.slots[at]] >= 0) return true;
    }
    return false;
  }

  of(term: number): { slot: number; frequency: number }[] {
    const { postings } = this.field;
    const list: { slot: number; frequency: number }[] = [];
    const count = postings.count(term);
    for (let i = 0; i < count; i++) {
      const at = postings.starts[term] + i;
      const slot = this.renumbered[postings.slots[at]];
      if (slot >= 0) list.push({ slot, frequency: postings.frequencies[at] });
    }
    return list.sort((a, b) => a.slot - b.slot);
  }
}

/** Every frequency that occurs and its code, the most common first, ties by size. */
function frequencyCodes(fields: readonly LivingPostings[], terms: readonly number[]): Map<number, number> {
  const counts = new Map<number, number>();
  for (const field of fields) {
    for (const term of terms) {
      for (const { frequency } of field.of(term)) counts.set(frequency, (counts.get(frequency) ?? 0) + 1);
    }
  }
  const ordered = [...counts].sort((a, b) => b[1] - a[1] || a[0] - b[0]);
  return new Map(ordered.map(([frequency], code) => [frequency, code]));
}

function writePostings(
  writer: ByteWriter,
  field: LivingPostings,
  term: number,
  codes: ReadonlyMap<number, number>,
): void {
  const list = field.of(term);
  writer.number(list.length);
  let next = 0;
  for (const { slot, frequency } of list) {
    const code = codes.get(frequency) ?? 0;
    writer.number((slot - next) * 2 + (code > 0 ? 1 : 0));
    if (code > 0) writer.number(code);
    next = slot + 1;
  }
}

/** Texts in order, each as the length of the prefix that it shares with the one before, and the rest. */
function writeSorted(writer: ByteWriter, texts: readonly string[]): void {
  writer.number(texts.length);
  let previous = '';
  for (const text of texts) {
    let shared = 0;
    const most = Math.min(previous.length, text.length);
    while (shared < most && previous.charCodeAt(shared) === text.charCodeAt(shared)) shared++;
    writer.number(shared);
    writer.text(text.slice(shared));
    previous = text;
  }
}

/** A key id that starts with its document's, a separator and 32 hexadecimal digits takes 17 bytes. */
function writeKeyId(writer: ByteWriter, id: string, documentId: string): void {
  const hash = id.startsWith(`${documentId}\u001f`) ? id.slice(documentId.length + 1) : '';
  if (!/^[0-9a-f]{32}$/.test(hash)) {
    writer.byte(0);
    writer.text(id);
    return;
  }
  writer.byte(1);
  for (let i = 0; i < 32; i += 2) writer.byte(Number.parseInt(hash.slice(i, i + 2), 16));
}
