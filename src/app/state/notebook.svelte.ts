import type { Document } from '../../corpus/types.ts';
import type { IndexSettings, SelfIndex } from '../../evolve/types.ts';
import type { IndexVersion } from '../../keys/types.ts';

/** The open index and what is known about it; everything else asks here. */
export class Notebook {
  readonly index: SelfIndex;
  documents = $state.raw<readonly Document[]>([]);
  versions = $state.raw<readonly IndexVersion[]>([]);
  version = $state(0);
  settings = $state.raw<IndexSettings | null>(null);
  readonly byId = $derived(new Map(this.documents.map((document) => [document.id, document])));
  readonly notes = $derived(new Set(this.documents.map(noteOf)));
  readonly empty = $derived(this.documents.length === 0);

  constructor(index: SelfIndex) {
    this.index = index;
  }

  async refresh(): Promise<void> {
    const [documents, settings] = await Promise.all([this.index.documents(), this.index.settings()]);
    this.documents = documents;
    this.settings = settings;
    await this.refreshVersions();
  }

  async refreshVersions(): Promise<void> {
    const [versions, version] = await Promise.all([this.index.versions(), this.index.currentVersion()]);
    this.versions = versions;
    this.version = version;
  }

  titleOf(documentId: string): string {
    const document = this.byId.get(documentId);
    return document ? titleOf(document) : documentId;
  }

  /** All passages of a document's note, in the order of the text. */
  passagesOf(documentId: string): Document[] {
    const document = this.byId.get(documentId);
    if (!document) return [];
    const note = noteOf(document);
    return this.documents
      .filter((other) => noteOf(other) === note)
      .sort((a, b) => (a.source?.start ?? 0) - (b.source?.start ?? 0));
  }
}

/** The note that a document is a passage of; a document without a source is its own. */
export function noteOf(document: Document): string {
  return document.source?.name ?? document.id;
}

export function titleOf(document: Document): string {
  return document.title ?? document.source?.headings?.[0] ?? noteOf(document);
}

/** Headings between the title and the passage. */
export function pathOf(document: Document): string[] {
  const title = titleOf(document);
  return (document.source?.headings ?? []).filter((heading) => heading !== title);
}
