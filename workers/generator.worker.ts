import { GeneratorService } from '../src/backbone/generator-service.ts';
import { loadGenerator } from '../src/backbone/load-generator.ts';
import { serve } from '../src/base/rpc.ts';

serve(new GeneratorService(loadGenerator));
