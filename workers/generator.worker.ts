import { GeneratorService } from '../src/backbone/generator-service.ts';
import { serve } from '../src/base/rpc.ts';

serve(new GeneratorService());
