import type { Document } from '../../corpus/types.ts';
import type { IndexSettings, SelfIndex } from '../../evolve/types.ts';
import type { IndexVersion } from '../../keys/types.ts';
import { byId, noteOf, notesOf, titleOf } from './notes.ts';

/** The open index and what is known about it; everything else asks here. */
export class Notebook {
  readonly index: SelfIndex;
  documents = $state.raw<readonly Document[]>([]);
  versions = $state.raw<readonly IndexVersion[]>([]);
  version = $state(0);
  settings = $state.raw<IndexSettings | null>(null);
  readonly byId = $derived(byId(this.documents));
  readonly notes = $derived(notesOf(this.documents));
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
