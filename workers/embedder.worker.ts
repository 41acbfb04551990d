import { serve } from '../src/base/rpc.ts';
import { EmbedderService } from '../src/embed/embedder-service.ts';

serve(new EmbedderService());
