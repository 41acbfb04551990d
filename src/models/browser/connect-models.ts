import { connect, type Connection } from '../../base/rpc.ts';
import { callRemote, type CallOptions } from '../../base/rpc-calls.ts';
import type { Plan } from '../plan.ts';
import type { ModelRequest } from '../source.ts';
import type { ImportRequest } from './import-files.ts';
import type { InstallProgress } from './installer.ts';
import type { KeptEntry, ModelsService, ServiceOptions, StoredModels } from './models-service.ts';

type WithProgress = CallOptions<[InstallProgress]>;

/** The models of this browser, as the page uses them: every change is made in the models' worker. */
export class ModelStore {
  private readonly connection: Connection<ModelsService>;

  constructor(worker: Worker) {
    this.connection = connect<ModelsService>(worker);
  }

  private get remote() {
    return this.connection.remote;
  }

  configure(options: ServiceOptions): Promise<void> {
    return this.remote.configure(options);
  }

  list(): Promise<StoredModels> {
    return this.remote.list();
  }

  /** As `ModelsService.plan`. */
  plan(request: ModelRequest, signal?: AbortSignal): Promise<Plan> {
    return callRemote({ signal }, (port) => this.remote.plan(request, port));
  }

  /** As `ModelsService.install`. An abort leaves what has come, for another day. */
  install(plan: Plan, options: WithProgress = {}): Promise<KeptEntry> {
    return callRemote(options, (port) => this.remote.install(plan, port));
  }

  import(request: ImportRequest, options: WithProgress = {}): Promise<KeptEntry> {
    return callRemote(options, (port) => this.remote.import(request, port));
  }

  verify(id: string, options: CallOptions<[number]> = {}): Promise<string[]> {
    return callRemote(options, (port) => this.remote.verify(id, port));
  }

  repair(id: string, options: WithProgress = {}): Promise<KeptEntry> {
    return callRemote(options, (port) => this.remote.repair(id, port));
  }

  remove(id: string): Promise<void> {
    return this.remote.remove(id);
  }

  discard(id: string): Promise<void> {
    return this.remote.discard(id);
  }

  /** Ends the worker; what it held in memory is gone. */
  close(): void {
    this.connection.terminate();
  }
}
