import { serve } from '../src/base/rpc.ts';
import { EmbedderService } from '../src/embed/embedder-service.ts';
import { loadLabEmbedder } from '../src/lab/page/lab-embedder.ts';

serve(new EmbedderService(loadLabEmbedder));
