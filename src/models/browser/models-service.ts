import { SelfIndexError } from '../../base/errors.ts';
import { answerCall } from '../../base/rpc-calls.ts';
import { isModelId, type KeptManifest } from '../types.ts';
import { totalOf, type Plan, type Unfinished } from '../plan.ts';
import { makePlan, type ModelRequest } from '../source.ts';
import { encoded, foldersIn, jsonIn, openRoot, removeFrom, subfolder } from './files.ts';
import { getJson } from './get-json.ts';
import { importFiles, type ImportRequest } from './import-files.ts';
import { bytesHere, install, installInMemory, type InstallProgress } from './installer.ts';
import { listKept, openKept, readManifest } from './kept.ts';
import { OpfsPart } from './opfs-part.ts';
import { SessionModels } from './session.ts';
import { brokenFiles } from './verify.ts';

export interface KeptEntry {
  readonly manifest: KeptManifest;
  /** In memory, because there was no room: gone when the tab is closed. */
  readonly session: boolean;
}

export interface StoredModels {
  readonly kept: readonly KeptEntry[];
  readonly unfinished: readonly Unfinished[];
}

/** Options that tests shorten. */
export interface ServiceOptions {
  /** As in `DownloadOptions`. */
  readonly stallAfter?: number;
  /** Longest wait before another try, milliseconds. */
  readonly longestWait?: number;
}

/** Bytes beyond which a model is not held in memory. */
const mostInMemory = 1.5e9;
/** Milliseconds between two words on progress. */
const beat = 100;

/** What the models' worker offers: files in place need a worker, and one from another origin must not be asked by the page. */
export class ModelsService {
  private readonly session = new SessionModels();
  private options: ServiceOptions = {};

  configure(options: ServiceOptions): void {
    this.options = options;
  }

  async list(): Promise<StoredModels> {
    return { kept: await listKept(), unfinished: await listUnfinished() };
  }

  /** Finds out what a request would fetch, without fetching it. */
  plan(request: ModelRequest, port?: MessagePort): Promise<Plan> {
    checkId(request.id);
    return answerCall(port, ({ signal }) => makePlan(request, (url) => getJson(url, signal)));
  }

  /**
   * Fetches a model, or goes on with it. Where there is no room it is held in memory until the tab is closed.
   * @throws SelfIndexError as `install`; `model-busy` where another tab has this model in hand
   */
  install(plan: Plan, port?: MessagePort): Promise<KeptEntry> {
    checkId(plan.id);
    return answerCall<KeptEntry, [InstallProgress]>(port, async ({ signal, onProgress }) => {
      const { stallAfter, longestWait } = this.options;
      const options = {
        signal,
        stallAfter,
        ...(longestWait !== undefined && { wait: (ms: number) => pause(Math.min(ms, longestWait)) }),
        onProgress: onProgress && throttled(onProgress),
      };
      return exclusively(plan.id, async () => {
        try {
          const manifest = await install(plan, options);
          this.session.release(plan.id);
          return { manifest, session: false };
        } catch (error) {
          if (!isNoRoom(error) || (totalOf(plan.files) ?? 0) > mostInMemory) throw error;
          await discard(plan.id);
          const model = await installInMemory(plan, options);
          await this.session.hold(model);
          return { manifest: model.manifest, session: true };
        }
      });
    });
  }

  /** @throws SelfIndexError as `importFiles`; `model-busy` */
  import(request: ImportRequest, port?: MessagePort): Promise<KeptEntry> {
    checkId(request.id);
    return answerCall<KeptEntry, [InstallProgress]>(port, async ({ signal, onProgress }) =>
      exclusively(request.id, async () => ({
        manifest: await importFiles(request, { signal, onProgress: onProgress && throttled(onProgress) }),
        session: false,
      })),
    );
  }

  /** Reads a kept model again. @returns the paths of the files that are damaged */
  verify(id: string, port?: MessagePort): Promise<string[]> {
    return answerCall<string[], [number]>(port, async ({ signal, onProgress }) =>
      brokenFiles(await find(id), { signal, onProgress }),
    );
  }

  /**
   * Fetches again what is damaged of a kept model, from where it came, and nothing else.
   * @throws SelfIndexError `model-not-found` where it did not come from a server
   */
  async repair(id: string, port?: MessagePort): Promise<KeptEntry> {
    const plan = await this.planRepair(id);
    return this.install(plan, port);
  }

  remove(id: string): Promise<void> {
    return exclusively(id, async () => {
      this.session.release(id);
      await removeFrom(await openRoot(), encoded(id));
    });
  }

  /** Forgets a plan under way and what has come of it. */
  discard(id: string): Promise<void> {
    return exclusively(id, () => discard(id));
  }

  private async planRepair(id: string): Promise<Plan> {
    const model = await find(id);
    const { format: _f, installedAt: _i, files, source, ...label } = model.manifest;
    const broken = await brokenFiles(model);
    if (source.kind === 'files')
      throw new SelfIndexError(
        'model-not-found',
        `“${id}” came from ${source.name}, so it cannot be fetched again. Import it once more; what is here stays until then.`,
      );
    const place = await subfolder(await openRoot(), encoded(id));
    const stored = await readManifest(place);
    const folder = stored && (await subfolder(place, stored.folder));
    for (const path of folder ? broken : [])
      await (await OpfsPart.in(folder as FileSystemDirectoryHandle, path)).discard();
    const request: ModelRequest = { ...label, source, known: files };
    const at = model.manifest.revision;
    const pinned =
      source.kind === 'hub' && at !== undefined
        ? { ...request, source: { ...source, revision: at } }
        : request;
    const plan = await makePlan(pinned, async () => undefined);
    return {
      ...plan,
      source,
      ...(stored && { folder: stored.folder }),
      files: plan.files.map((file, i) =>
        files[i].verified === 'known' ? file : { ...file, by: 'declared' },
      ),
    };
  }
}

async function listUnfinished(): Promise<Unfinished[]> {
  const root = await openRoot();
  const list: Unfinished[] = [];
  for (const name of await foldersIn(root)) {
    const place = await subfolder(root, name);
    const plan = (await jsonIn(place, 'incoming.json')) as Plan | null | undefined;
    if (!place || !Array.isArray(plan?.files)) continue;
    const total = totalOf(plan.files);
    list.push({ plan, done: await bytesHere(place, plan), ...(total !== undefined && { total }) });
  }
  return list;
}

async function discard(id: string): Promise<void> {
  const root = await openRoot();
  const place = await subfolder(root, encoded(id));
  const kept = await readManifest(place);
  if (!kept) return removeFrom(root, encoded(id));
  await removeFrom(place, 'incoming.json');
  for (const folder of await foldersIn(place)) if (folder !== kept.folder) await removeFrom(place, folder);
}

async function find(id: string) {
  const model = await openKept(id);
  if (!model) throw new SelfIndexError('model-not-found', `No model “${id}” is kept in this browser.`);
  return model;
}

/** One hand on a model at a time, in all tabs. */
async function exclusively<T>(id: string, work: () => Promise<T>): Promise<T> {
  const { locks } = navigator as { locks?: LockManager };
  if (!locks)
    throw new SelfIndexError(
      'locks-unavailable',
      'This browser cannot keep models here (no Web Locks). Open the page over https or from localhost.',
    );
  return locks.request(`self-index/model/${id}`, { ifAvailable: true }, async (lock) => {
    if (!lock)
      throw new SelfIndexError(
        'model-busy',
        `Another tab has “${id}” in hand. Wait until it has finished, or stop it there.`,
      );
    return work();
  });
}

function checkId(id: string): void {
  if (!isModelId(id))
    throw new SelfIndexError(
      'invalid-argument',
      `“${id}” is no name for a model: letters, digits, - _ . / only.`,
    );
}

function isNoRoom(error: unknown): boolean {
  return error instanceof SelfIndexError && error.code === 'storage-quota';
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/** A few words a second, and always the last one. */
function throttled(tell: (progress: InstallProgress) => void): (progress: InstallProgress) => void {
  let next = 0;
  let latest: InstallProgress | undefined;
  const say = () => {
    if (latest) tell(latest);
    latest = undefined;
  };
  return (progress) => {
    const now = performance.now();
    const pending = latest !== undefined;
    latest = progress;
    if (now >= next) {
      next = now + beat;
      say();
    } else if (!pending) setTimeout(say, next - now);
  };
}
