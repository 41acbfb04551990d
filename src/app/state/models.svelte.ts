import { isAbort, messageOf, SelfIndexError } from '../../base/errors.ts';
import type { ModelStore } from '../../models/browser/connect-models.ts';
import type { InstallProgress } from '../../models/browser/installer.ts';
import type { KeptEntry, StoredModels } from '../../models/browser/models-service.ts';
import { sortForDevice, type DeviceFacts } from '../../models/fit-device.ts';
import { filesOfCopy, modelFilesIn } from '../../models/given.ts';
import type { Plan } from '../../models/plan.ts';
import { nameOf, parseAddress, type ModelRequest } from '../../models/source.ts';
import { Speedometer } from '../../models/speed.ts';
import type { ModelLabel } from '../../models/types.ts';
import type { Gathered } from '../intake/gather.ts';
import { listServed, type ServedModel } from '../intake/models.ts';
import { deviceFacts, storageUse, type StorageUse } from '../models/device.ts';
import { catalogueModelOf, newName } from '../models/given-name.ts';
import { offersOf } from '../models/offers.ts';
import { openStore } from '../models/open-store.ts';
import { keepRuntime } from '../offline/register.ts';
import { goingInWords, type Going } from '../words/models.ts';
import type { Notices } from './notices.svelte.ts';

/** A model in hand. */
export interface Job extends Going {
  readonly id: string;
  readonly title: string;
  readonly doing: 'asking' | 'fetching' | 'bringing in' | 'checking' | 'repairing';
  /** Why it waits, while it does. */
  readonly waiting?: string;
  readonly stop: () => void;
}

/** What went wrong with a model, until something else is done with it. */
export interface Trouble {
  readonly text: string;
  /** What a person may do about it. */
  readonly remedy?: { readonly label: string; readonly run: () => Promise<void> };
}

/** Shares of a download that are spoken. */
const spoken = [0.25, 0.5, 0.75];

/** Models that are kept in this browser, and how they come and go. Nothing is fetched before a person asks for it. */
export class ModelsState {
  stored = $state.raw<StoredModels>({ kept: [], unfinished: [] });
  jobs = $state.raw<readonly Job[]>([]);
  /** By the model's name. */
  troubles = $state.raw<Readonly<Partial<Record<string, Trouble>>>>({});
  storage = $state.raw<StorageUse>({});
  device = $state.raw<DeviceFacts>({ webgpu: false, f16: false });
  served = $state.raw<readonly ServedModel[]>([]);
  ready = $state(false);
  /** What was looked up at an address, and is not fetched yet. */
  found = $state.raw<Plan | null>(null);
  /** Names of models that were given as files. */
  given = $state.raw<readonly string[]>([]);
  readonly keptIds = $derived(this.stored.kept.map(({ manifest }) => manifest.id));
  readonly waiting = $derived(
    this.stored.unfinished.filter(({ plan }) => !this.jobs.some(({ id }) => id === plan.id)),
  );
  readonly offers = $derived(
    sortForDevice(offersOf(this.served, this.keptIds, document.baseURI), this.device).filter(
      ({ model }) => !model.kept,
    ),
  );
  readonly #notices: Notices;
  readonly #onChange: () => void;
  #store: ModelStore | undefined;
  /** When the work on a model is over: only then may another begin. */
  readonly #ends: Partial<Record<string, Promise<void>>> = {};

  /** @param onChange called when models have come or gone */
  constructor(notices: Notices, onChange: () => void) {
    this.#notices = notices;
    this.#onChange = onChange;
  }

  /** Looks what there is; the page calls it when the view is opened. */
  async open(): Promise<void> {
    this.served = await listServed();
    await this.#refresh();
    this.ready = true;
    if (this.stored.kept.length > 0) void keepRuntime();
  }

  async persist(): Promise<void> {
    const granted = await navigator.storage.persist();
    await this.#refresh();
    this.#notices.show(
      granted
        ? 'This browser will not clear what is kept here by itself.'
        : 'This browser did not promise it. It may once this page is bookmarked, installed or used more often.',
      { tone: granted ? 'good' : 'info' },
    );
  }

  /** Fetches a model from a place of an offer. */
  async get(request: ModelRequest): Promise<void> {
    const plan = await this.#during({ ...request, doing: 'asking' }, ({ signal }) =>
      this.#open().plan(request, signal),
    );
    if (plan) await this.fetch(plan);
  }

  /** @throws SelfIndexError `invalid-argument` where it is no address */
  nameAt(address: string): string {
    return nameOf(parseAddress(address));
  }

  forgetFound(): void {
    this.found = null;
  }

  /** Finds out what lies at an address; `found` then says what it costs. */
  lookUp(address: string): Promise<void> {
    const source = parseAddress(address);
    return this.ask({ id: nameOf(source), source });
  }

  /** Asks a place what it has; `found` then says what it costs. */
  async ask(request: ModelRequest): Promise<void> {
    this.found = null;
    this.found =
      (await this.#during({ ...request, doing: 'asking' }, ({ signal }) =>
        this.#open().plan(request, signal),
      )) ?? null;
  }

  /** Fetches what a plan says, or goes on with it. */
  async fetch(plan: Plan): Promise<void> {
    if (this.found === plan) this.found = null;
    await this.#arrive({ ...plan, doing: 'fetching' }, (options) => this.#open().install(plan, options));
  }

  /** Stops what is being done; what has come is kept. */
  pause(id: string): void {
    this.jobs.find((job) => job.id === id)?.stop();
  }

  /** Stops a download and forgets what has come of it. */
  async cancel(id: string): Promise<void> {
    this.pause(id);
    await this.#ends[id];
    await this.discard(id);
  }

  /** Forgets a download and what has come of it. */
  async discard(id: string): Promise<void> {
    await this.#change(id, () => this.#open().discard(id));
  }

  async remove(id: string): Promise<void> {
    await this.#change(id, () => this.#open().remove(id));
    this.#notices.speak(`${id} deleted.`);
  }

  /** Reads all bytes again. */
  async verify(id: string): Promise<void> {
    const entry = this.stored.kept.find(({ manifest }) => manifest.id === id);
    if (!entry) return;
    const broken = await this.#during({ id, doing: 'checking' }, (options) =>
      this.#open().verify(id, { signal: options.signal, onProgress: (done) => options.bytes(done, entry) }),
    );
    if (!broken) return;
    if (broken.length === 0)
      this.#notices.show(`${id} is whole: every byte is as it came.`, { tone: 'good' });
    else
      this.#trouble(id, {
        text: `Damaged: ${broken.join(', ')}.`,
        remedy: { label: 'Repair', run: () => this.repair(id) },
      });
  }

  async repair(id: string): Promise<void> {
    await this.#arrive({ id, doing: 'repairing' }, (options) => this.#open().repair(id, options));
  }

  /** Keeps a model that a person gave as files. */
  async take({ files: given }: Gathered, unverified = false): Promise<void> {
    const there = modelFilesIn(given);
    const known = catalogueModelOf(given, there);
    const files = filesOfCopy(there, known?.copy.files);
    const label: ModelLabel = known ?? { id: newName(given) };
    const { id, kind, title, licence } = label;
    if (!this.given.includes(id)) this.given = [...this.given, id];
    const from = given.length === 1 ? given[0].path : (given[0]?.path.split('/')[0] ?? 'files');
    const request = { id, kind, title, licence, from, files, unverified };
    await this.#arrive(
      { ...label, doing: 'bringing in' },
      (options) => this.#open().import({ ...request, ...(known && { known: known.copy.files }) }, options),
      (error) =>
        error instanceof SelfIndexError && error.details.reason === 'another-copy'
          ? { label: 'Keep it all the same', run: () => this.take({ files: given, skipped: [] }, true) }
          : undefined,
    );
  }

  /** Something that ends with a model being kept. */
  async #arrive(
    what: ModelLabel & Pick<Job, 'doing'>,
    work: (options: {
      readonly signal: AbortSignal;
      readonly onProgress: (progress: InstallProgress) => void;
    }) => Promise<KeptEntry>,
    remedy?: (error: unknown) => Trouble['remedy'],
  ): Promise<void> {
    const entry = await this.#during(what, work, remedy);
    await this.#refresh();
    this.#onChange();
    if (!entry) return;
    const runs = await keepRuntime();
    if (entry.session)
      this.#notices.show(`${what.id} is here until this tab is closed: there was no room to keep it.`, {
        lasting: true,
      });
    else if (runs === false)
      this.#notices.show(
        `${what.id} is kept in this browser. What runs it could not be kept: use it once while there is a network.`,
        { lasting: true },
      );
    else this.#notices.show(`${what.id} is kept in this browser.`, { tone: 'good' });
  }

  /** Shows work on one model, its end and its failure. undefined where it failed or was stopped. */
  async #during<T>(
    { id, title = id, doing }: ModelLabel & Pick<Job, 'doing'>,
    work: (options: {
      readonly signal: AbortSignal;
      readonly onProgress: (progress: InstallProgress) => void;
      readonly bytes: (done: number, entry: KeptEntry) => void;
    }) => Promise<T>,
    remedy?: (error: unknown) => Trouble['remedy'],
  ): Promise<T | undefined> {
    if (this.jobs.some((job) => job.id === id)) return undefined;
    const controller = new AbortController();
    const stop = () => controller.abort(new DOMException('Stopped.', 'AbortError'));
    let end = () => {};
    this.#ends[id] = new Promise((resolve) => (end = resolve));
    const job: Job = { id, title, doing, done: 0, stop };
    this.jobs = [...this.jobs, job];
    this.#trouble(id, undefined);
    const speed = new Speedometer();
    let told = 0;
    const onProgress = ({ done, total, waiting }: InstallProgress) => {
      speed.mark(done, performance.now());
      const { bytesPerSecond } = speed;
      const secondsLeft = speed.secondsLeft(total);
      const going = { done, total, bytesPerSecond, secondsLeft };
      this.jobs = this.jobs.map((each) =>
        each.id === id ? { ...job, ...going, waiting: waiting?.why } : each,
      );
      const share = total === undefined ? 0 : done / total;
      if (told < spoken.length && share >= spoken[told]) {
        while (told < spoken.length && share >= spoken[told]) told++;
        this.#notices.speak(`${id}: ${goingInWords(going)}.`);
      }
    };
    const bytes = (done: number, { manifest }: KeptEntry) =>
      onProgress({ file: '', done, total: manifest.files.reduce((sum, { size }) => sum + size, 0) });
    try {
      return await work({ signal: controller.signal, onProgress, bytes });
    } catch (error) {
      if (!isAbort(error)) this.#trouble(id, { text: messageOf(error), remedy: remedy?.(error) });
      return undefined;
    } finally {
      this.jobs = this.jobs.filter((each) => each.id !== id);
      end();
    }
  }

  #trouble(id: string, trouble: Trouble | undefined): void {
    this.troubles = { ...this.troubles, [id]: trouble };
  }

  async #change(id: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
      this.#trouble(id, undefined);
    } catch (error) {
      this.#trouble(id, { text: messageOf(error) });
    }
    await this.#refresh();
    this.#onChange();
  }

  async #refresh(): Promise<void> {
    this.stored = await this.#open().list();
    this.storage = await storageUse();
    const offers = offersOf(this.served, this.keptIds, document.baseURI);
    this.device = await deviceFacts(
      offers.some(
        ({ kind, requires }) =>
          kind === 'webllm' || requires?.includes('webgpu') || requires?.includes('shader-f16'),
      ),
    );
  }

  #open(): ModelStore {
    return (this.#store ??= openStore());
  }
}
