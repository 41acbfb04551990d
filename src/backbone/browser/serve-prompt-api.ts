import { servePort } from '../../base/rpc.ts';
import { GeneratorService } from '../generator-service.ts';
import { loadPromptApi } from './prompt-api.ts';

/** Answers on a port as the generator worker does, with the browser's own language model, from this page. */
export function servePromptApi(port: MessagePort): void {
  servePort(new GeneratorService((_spec, options) => loadPromptApi(options)), port);
}
