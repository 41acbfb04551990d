import type { ConnectedIndex, EvolveOptions, SearchResult } from '../../evolve/types.ts';
import { openNotebook } from '../open-notebook.ts';
import type { Gathered } from '../intake/gather.ts';
import { plural } from '../words/format.ts';
import { refusalInWords, stopInWords } from '../words/keys.ts';
import { Evolution } from './evolution.svelte.ts';
import { Intake, type Taken } from './intake.svelte.ts';
import type { ModelsState } from './models.svelte.ts';
import { Notebook } from './notebook.svelte.ts';
import { titleOf } from './notes.ts';
import { Notices } from './notices.svelte.ts';
import { Presence } from './presence.svelte.ts';
import { Quality } from './quality.svelte.ts';
import { RolesState } from './roles.svelte.ts';
import { Route } from './route.svelte.ts';
import { Search } from './search.svelte.ts';
import { Suggestions } from './suggestions.svelte.ts';

/** Everything the page knows, and what a person can do with it. */
export class AppState {
  readonly route = new Route();
  readonly notices = new Notices();
  readonly notebook: Notebook;
  readonly search: Search;
  readonly evolution: Evolution;
  readonly quality: Quality;
  readonly intake: Intake;
  readonly presence: Presence;
  readonly roles: RolesState;
  /** Made by the view that shows them: most visits need none of it. */
  models: ModelsState | undefined;
  readonly suggestions: Suggestions;
  /** Acts of this tab under way that make versions: their news need no telling. */
  #acting = 0;

  private constructor(readonly index: ConnectedIndex) {
    this.notebook = new Notebook(index);
    this.search = new Search(this.notebook);
    this.evolution = new Evolution(index);
    this.quality = new Quality(this.notebook);
    this.intake = new Intake(this.notebook);
    this.presence = new Presence(index.name);
    this.roles = new RolesState(index);
    this.suggestions = new Suggestions(index.name);
  }

  static async open(): Promise<AppState> {
    const app = new AppState(await openNotebook());
    await app.notebook.refresh();
    await app.evolution.refreshUnfinished();
    app.index.onVersion((version) => void app.#followed(version));
    void app.#try(() => app.quality.measure());
    return app;
  }

  async evolve(options: EvolveOptions): Promise<void> {
    await this.presence.during(() => this.evolution.start(options, () => this.roles.apply()));
    this.#tellEnd();
  }

  async resume(): Promise<void> {
    await this.presence.during(() => this.evolution.resume(() => this.roles.apply()));
    this.#tellEnd();
  }

  async rollBack(version: number): Promise<void> {
    const from = this.notebook.version;
    await this.#act(() => this.index.rollback(version));
    this.notices.show(`The keys are those of version ${version} again.`, {
      tone: 'good',
      action: { label: 'Undo', run: () => this.rollBack(from) },
    });
  }

  /** Opens a result; from a low rank this teaches. */
  async opened(query: string, result: SearchResult): Promise<void> {
    const teaching = await this.#act(() => this.index.opened(query, result.documentId, result.rank));
    if (!teaching) return;
    const { version } = teaching;
    const title = titleOf(result.document);
    if (version !== null) {
      this.notices.show(`Learned: “${query}” is now a key of “${title}”.`, {
        tone: 'good',
        action: { label: 'Undo', run: () => this.rollBack(version - 1) },
      });
      return;
    }
    // Refused, it is known all the same: it measures nothing any more.
    void this.#try(() => this.quality.measure());
    this.notices.show(`“${query}” did not become a key of “${title}”: ${refusalInWords(teaching.revision)}.`);
  }

  takeIn(gather: (signal: AbortSignal) => Promise<Gathered | null>): Promise<void> {
    return this.#takeIn(() => this.intake.take(gather));
  }

  takeSamples(): Promise<void> {
    return this.#takeIn(() => this.intake.takeSamples());
  }

  async importIndex(file: Blob): Promise<void> {
    await this.#act(() => this.index.import(file));
    await this.notebook.refresh();
    await this.evolution.refreshUnfinished();
    await this.#renewed();
    this.notices.show(`Imported ${plural(this.notebook.documents.length, 'document')}.`, { tone: 'good' });
  }

  async deleteAll(): Promise<void> {
    await this.index.destroy();
    this.quality.forget();
    this.suggestions.set([]);
    window.location.hash = '';
    window.location.reload();
  }

  async #takeIn(take: () => Promise<Taken | null>): Promise<void> {
    await this.#try(async () => {
      const taken = await this.#act(take);
      if (taken) {
        await this.evolution.refreshUnfinished();
        await this.#renewed();
      }
      this.#tellIntake(taken);
      if (taken && taken.suggestions.length > 0) this.suggestions.set(taken.suggestions);
      if (taken && taken.judged.length > 0) await this.quality.load(taken.judged, taken.origin);
    });
  }

  #tellIntake(taken: Taken | null): void {
    const { report } = this.intake;
    if (!report) return;
    const searches = taken ? taken.judged.length : 0;
    const judged = searches > 0 ? ` with ${plural(searches, 'judged search', 'judged searches')}` : '';
    const skipped = report.skipped.length > 0 ? ` ${plural(report.skipped.length, 'item')} skipped.` : '';
    const { files, documents } = report;
    this.notices.show(
      `${plural(files, 'file')} brought in as ${plural(documents, 'document')}${judged}.${skipped}`,
      {
        tone: taken ? 'good' : 'info',
        action: skipped ? { label: 'Why?', run: () => this.route.go({ view: 'notebook' }) } : undefined,
      },
    );
  }

  #tellEnd(): void {
    const { status, failure, stoppedBy, finished } = this.evolution;
    if (status === 'failed') {
      this.notices.fail(failure);
      return;
    }
    const keys = finished.reduce((sum, { summary }) => sum + summary.newKeys, 0);
    const why = stoppedBy ? ` because ${stopInWords(stoppedBy)}` : '';
    this.notices.speak(`Evolution ended${why}: ${plural(keys, 'new key')}.`);
  }

  /** Everything that was shown of another content is shown anew. */
  async #renewed(): Promise<void> {
    await Promise.all([this.search.run(), this.quality.remeasure()]);
  }

  /** A new version, of this tab or another. */
  async #followed(version: number): Promise<void> {
    const own = this.#acting > 0 || this.evolution.active;
    await this.#try(async () => {
      if (own) await this.notebook.refreshVersions();
      else await this.notebook.refresh();
      await Promise.all([this.search.run(), this.quality.measure()]);
      if (!own) this.notices.show(`Another tab made version ${version}. Searches here use it now.`);
    });
  }

  async #act<T>(work: () => Promise<T>): Promise<T> {
    this.#acting++;
    try {
      return await work();
    } finally {
      this.#acting--;
    }
  }

  async #try(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.notices.fail(error);
    }
  }
}
