/**
 * Serves the page when there is no network: its own files, cached under the hash of the build; and what runs models, once a
 * page says that it keeps one. Models themselves are not its business. Hand-written, no imports: a service worker must be one file.
 */

/** Filled in by the build (.ci/app-shell.ts). */
const shell = JSON.parse('__APP_SHELL__') as {
  /** Hash over all files: a new build is a new cache. */
  readonly version: string;
  /** Paths relative to the scope. */
  readonly files: readonly string[];
  /** What runs models on the CPU: kept only for who keeps a model. */
  readonly runtime: readonly string[];
};

/** What is used of the types that TypeScript keeps in a library of its own, which excludes the page's. */
interface LifecycleEvent extends Event {
  waitUntil(work: Promise<unknown>): void;
}
interface RequestEvent extends LifecycleEvent {
  readonly request: Request;
  respondWith(response: Promise<Response>): void;
}
interface WorkerScope {
  readonly registration: { readonly scope: string };
  readonly clients: { claim(): Promise<void> };
  skipWaiting(): Promise<void>;
  addEventListener(type: 'install' | 'activate', listener: (event: LifecycleEvent) => void): void;
  addEventListener(type: 'fetch', listener: (event: RequestEvent) => void): void;
  addEventListener(type: 'message', listener: (event: MessageEvent<unknown> & LifecycleEvent) => void): void;
}
const scope = globalThis as unknown as WorkerScope;

const prefix = 'self-index-shell-';
const current = prefix + shell.version;
const base = scope.registration.scope;
const page = new URL('index.html', base).href;
const known = new Set(shell.files.map((file) => new URL(file, base).href));
/** Built files carry their hash in their name, so they never change. */
const built = new URL('assets/', base).href;

async function install(): Promise<void> {
  const cache = await caches.open(current);
  const requests = [...known].map((url) =>
    url.startsWith(built) ? url : new Request(url, { cache: 'no-cache' }),
  );
  await cache.addAll(requests);
  if (await keepsRuntime()) await keepRuntime();
}

/** Whether a build before this one kept what runs models. */
async function keepsRuntime(): Promise<boolean> {
  for (const name of await caches.keys()) {
    if (!name.startsWith(prefix) || name === current) continue;
    const requests = await (await caches.open(name)).keys();
    if (requests.some(({ url }) => url.endsWith('.wasm'))) return true;
  }
  return false;
}

async function keepRuntime(): Promise<void> {
  const cache = await caches.open(current);
  for (const file of shell.runtime) {
    const url = new URL(file, base).href;
    if (!(await cache.match(url))) await cache.add(url);
  }
}

async function dropOldCaches(): Promise<void> {
  const names = await caches.keys();
  await Promise.all(
    names.filter((name) => name.startsWith(prefix) && name !== current).map((name) => caches.delete(name)),
  );
  await scope.clients.claim();
}

async function fromCache(url: string, request: Request): Promise<Response> {
  const cache = await caches.open(current);
  const cached = await cache.match(url);
  if (cached) return cached;
  const response = await fetch(request);
  if (response.ok && url.startsWith(built)) await cache.put(url, response.clone());
  return response;
}

scope.addEventListener('install', (event) => event.waitUntil(install()));
scope.addEventListener('activate', (event) => event.waitUntil(dropOldCaches()));

scope.addEventListener('message', (event) => {
  if (event.data === 'activate') void scope.skipWaiting();
  if (event.data !== 'keep-runtime') return;
  const [port] = event.ports;
  event.waitUntil(
    keepRuntime().then(
      () => port.postMessage(true),
      () => port.postMessage(false),
    ),
  );
});

scope.addEventListener('fetch', (event) => {
  const { request } = event;
  if (request.method !== 'GET') return;
  const address = new URL(request.url);
  address.search = '';
  address.hash = '';
  const url = address.href === base ? page : address.href;
  if (known.has(url) || url.startsWith(built)) event.respondWith(fromCache(url, request));
});
