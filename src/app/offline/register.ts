/**
 * Registers the service worker of a built page, so that it opens without a network.
 * @param onUpdate called when a newer build waits; its argument brings that one in and reloads
 */
export async function registerOffline(onUpdate: (apply: () => void) => void): Promise<void> {
  if (import.meta.env.DEV || !('serviceWorker' in navigator)) return;
  const { serviceWorker } = navigator;
  const registration = await serviceWorker.register(`${import.meta.env.BASE_URL}sw.js`);

  const tell = (waiting: ServiceWorker) => {
    // Without a controller this is the first visit: nothing is old.
    if (!serviceWorker.controller) return;
    onUpdate(() => {
      serviceWorker.addEventListener('controllerchange', () => window.location.reload(), { once: true });
      waiting.postMessage('activate');
    });
  };
  if (registration.waiting) tell(registration.waiting);
  registration.addEventListener('updatefound', () => {
    const { installing } = registration;
    installing?.addEventListener('statechange', () => {
      if (installing.state === 'installed') tell(installing);
    });
  });
}

/**
 * Has the service worker keep what runs models, so that those kept here work without a network.
 * @returns false where it could not; undefined where there is no service worker that could
 */
export async function keepRuntime(): Promise<boolean | undefined> {
  const { serviceWorker } = navigator as { serviceWorker?: ServiceWorkerContainer };
  const worker = (await serviceWorker?.getRegistration())?.active;
  if (!worker) return undefined;
  const { port1, port2 } = new MessageChannel();
  return new Promise((resolve) => {
    port1.onmessage = ({ data }: MessageEvent<boolean>) => {
      resolve(data);
      port1.close();
    };
    worker.postMessage('keep-runtime', [port2]);
  });
}
