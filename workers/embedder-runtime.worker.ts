/** Runs one encoder on one device; the embedder worker starts and ends it. */
import { serve } from '../src/base/rpc.ts';
import { EmbedderService } from '../src/embed/embedder-service.ts';
import { loadOnDevice } from '../src/embed/devices/load-on-device.ts';

serve(new EmbedderService(loadOnDevice));
