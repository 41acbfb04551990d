import { isAbort } from '../../base/errors.ts';
import type { EvolveEvent, EvolveOptions, SelfIndex } from '../../evolve/types.ts';
import { addUsage, noUsage, sumUsage } from '../../keys/usage.ts';
import type { IterationSummary, Stage, Usage } from '../../keys/types.ts';
import { roleIdsOf, type RoleIds } from '../words/roles.ts';

/** One document's turn, as the live list shows it. */
export type Turn = Extract<EvolveEvent, { type: 'document' }> & { readonly number: number };

export interface FinishedIteration {
  readonly iteration: number;
  readonly version: number;
  readonly summary: IterationSummary;
}

/** Stages that follow one another for each group of documents: the count of documents goes on through all of them. */
const takenInTurns: ReadonlySet<Stage> = new Set(['diagnose', 'revise', 'validate']);

/** Milliseconds between two views of an evolution under way. */
const showEvery = 200;
/** Turns that the page keeps; the store has them all. */
const shownTurns = 200;

/** One evolution as this page sees it: its events folded into what is shown. */
export class Evolution {
  status = $state<'idle' | 'running' | 'stopping' | 'finished' | 'failed'>('idle');
  resumed = $state(false);
  /** Who plays the roles. */
  roles = $state.raw<RoleIds | null>(null);
  /** From 1. */
  iteration = $state(0);
  iterations = $state(0);
  stage = $state<Stage | null>(null);
  done = $state(0);
  total = $state(0);
  usage = $state.raw<Usage>(noUsage);
  secondsLeft = $state<number | null>(null);
  /** Turns of documents that had a shortfall, the newest first. */
  turns = $state.raw<readonly Turn[]>([]);
  /** Documents that were looked at and left alone. */
  leftAlone = $state(0);
  finished = $state.raw<readonly FinishedIteration[]>([]);
  stoppedBy = $state<IterationSummary['stoppedBy']>();
  failure = $state.raw<unknown>(null);
  unfinished = $state.raw<Awaited<ReturnType<SelfIndex['unfinished']>>>(null);
  readonly active = $derived(this.status === 'running' || this.status === 'stopping');
  readonly #index: SelfIndex;
  #controller: AbortController | undefined;
  #turns = 0;
  #noted: EvolveEvent[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(index: SelfIndex) {
    this.#index = index;
  }

  async refreshUnfinished(): Promise<void> {
    this.unfinished = await this.#index.unfinished();
  }

  /** @param prepare done first; what it throws is the evolution's failure */
  start(options: EvolveOptions, prepare: () => Promise<void>): Promise<void> {
    return this.#follow((signal) => this.#index.evolve({ ...options, signal }), prepare);
  }

  resume(prepare: () => Promise<void>): Promise<void> {
    return this.#follow((signal) => this.#index.resume(signal), prepare);
  }

  /** What has passed until now is committed. */
  stop(): void {
    if (this.status !== 'running') return;
    this.status = 'stopping';
    this.#controller?.abort(new DOMException('Stopped by the person.', 'AbortError'));
  }

  async #follow(
    run: (signal: AbortSignal) => AsyncIterable<EvolveEvent>,
    prepare: () => Promise<void>,
  ): Promise<void> {
    if (this.active) return;
    this.#controller = new AbortController();
    this.#clear();
    this.status = 'running';
    try {
      await prepare();
      for await (const event of run(this.#controller.signal)) this.#note(event);
      this.#show();
      this.status = 'finished';
    } catch (error) {
      this.#show();
      if (isAbort(error)) {
        this.status = 'finished';
        this.stoppedBy = 'signal';
      } else {
        this.status = 'failed';
        this.failure = error;
      }
    }
    await this.refreshUnfinished();
  }

  /** Events come by the hundred in a second; drawn one by one they would take the page's time from whoever types. */
  #note(event: EvolveEvent): void {
    this.#noted.push(event);
    this.#timer ??= setTimeout(() => this.#show(), showEvery);
  }

  #show(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const event of this.#noted.splice(0)) this.#apply(event);
  }

  #clear(): void {
    this.#noted = [];
    this.resumed = false;
    this.roles = null;
    this.iteration = this.iterations = this.done = this.total = 0;
    this.stage = null;
    this.usage = noUsage;
    this.secondsLeft = null;
    this.turns = [];
    this.leftAlone = 0;
    this.finished = [];
    this.stoppedBy = undefined;
    this.failure = null;
    this.#turns = 0;
  }

  #apply(event: EvolveEvent): void {
    switch (event.type) {
      case 'started':
        this.resumed = event.resumed;
        this.roles = roleIdsOf(event.roles);
        this.iterations = event.iterations;
        break;
      case 'stage':
        this.iteration = event.iteration + 1;
        this.stage = event.stage;
        if (!takenInTurns.has(event.stage)) this.done = this.total = 0;
        break;
      case 'progress':
        this.iteration = event.iteration + 1;
        this.stage = event.stage;
        this.done = event.done;
        this.total = event.total;
        this.usage = addUsage(
          event.usage,
          sumUsage(this.finished.flatMap(({ summary }) => Object.values(summary.usage))),
        );
        this.secondsLeft = event.secondsLeft;
        break;
      case 'document':
        if (!event.diagnosis && !event.skipped) this.leftAlone++;
        else this.turns = [{ ...event, number: ++this.#turns }, ...this.turns.slice(0, shownTurns - 1)];
        break;
      case 'iteration':
        this.finished = [...this.finished, event];
        break;
      case 'finished':
        this.stoppedBy = event.stoppedBy;
        break;
    }
  }
}
