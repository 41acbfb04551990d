import { serve } from '../src/base/rpc.ts';
import { EngineService } from '../src/evolve/remote/engine-service.ts';

serve(new EngineService());
