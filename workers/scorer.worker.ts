import { serve } from '../src/base/rpc.ts';
import { ScorerService } from '../src/embed/scorer-service.ts';

serve(new ScorerService());
