import { serve } from '../src/base/rpc.ts';
import { ModelsService } from '../src/models/browser/models-service.ts';

serve(new ModelsService());
