import { serve } from '../src/base/rpc.ts';
import { keptDeviceMemory } from '../src/embed/browser/device-memory.ts';
import { loadEncoder } from '../src/embed/devices/load-encoder.ts';
import { EmbedderService } from '../src/embed/embedder-service.ts';

const parts = {
  startRuntime: () =>
    new Worker(new URL('./embedder-runtime.worker.ts', import.meta.url), { type: 'module' }),
  memory: keptDeviceMemory(),
};

serve(new EmbedderService((spec, options) => loadEncoder(spec, parts, options)));
