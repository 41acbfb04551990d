import { serve } from '../src/base/rpc.ts';
import { keptDeviceMemory } from '../src/embed/browser/device-memory.ts';
import { EmbedderService } from '../src/embed/embedder-service.ts';
import { embedderLoader } from '../src/embed/load-embedder.ts';

const load = embedderLoader({
  startRuntime: () =>
    new Worker(new URL('./embedder-runtime.worker.ts', import.meta.url), { type: 'module' }),
  memory: keptDeviceMemory(),
});

serve(new EmbedderService(load));
