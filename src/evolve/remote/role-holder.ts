import { SelfIndexError } from '../../base/errors.ts';
import { cachedEmbedder } from '../../embed/cached-embedder.ts';
import type { Embedder } from '../../embed/types.ts';
import { connectEmbedder } from '../../embed/worker-embedder.ts';
import type { RetrieverKind } from '../../retrieve/types.ts';
import type { Roles } from '../../roles/types.ts';
import type { IndexStore } from '../../store/types.ts';
import { checkRoles } from '../judge-means.ts';
import type { IndexState } from '../state.ts';
import type { RolesChoice } from '../types.ts';
import { makeRoles, type MadeRoles } from './make-roles.ts';
import type { ModelPorts } from './open-from-spec.ts';

interface Made extends MadeRoles {
  /** Loaded for judging alone. */
  readonly embedder?: Embedder;
}

/** Whoever plays the roles: made by the first evolution that needs them, let go when others are chosen. */
export class RoleHolder {
  private made: Promise<Made> | undefined;

  constructor(
    private choice: RolesChoice,
    private ports: ModelPorts,
    private readonly store: Pick<IndexStore, 'answers' | 'vectors'>,
    /** The retriever's, which may change. */
    private readonly embedder: () => Embedder | undefined,
    private readonly retriever: RetrieverKind,
  ) {}

  async roles(state: IndexState): Promise<Roles> {
    const made = (this.made ??= this.make());
    // What failed may be tried again.
    made.catch(() => (this.made = this.made === made ? undefined : this.made));
    return (await made).rolesFor(state);
  }

  async choose(choice: RolesChoice, ports: ModelPorts): Promise<void> {
    const { embedder = this.embedder() } = choice;
    checkRoles(choice, this.retriever, embedder !== undefined);
    await this.dispose();
    this.choice = choice;
    this.ports = ports;
  }

  async dispose(): Promise<void> {
    const made = await this.made?.catch(() => undefined);
    this.made = undefined;
    await made?.model?.dispose();
    await made?.embedder?.dispose();
  }

  private async make(): Promise<Made> {
    const { choice, ports, store } = this;
    const embedder = choice.embedder && (await this.load(choice.embedder));
    const { answers } = store;
    const parts = { answers, embedder: embedder ?? this.embedder(), generator: ports.generator };
    return { ...(await makeRoles(choice, parts)), ...(embedder && { embedder }) };
  }

  private async load(spec: NonNullable<RolesChoice['embedder']>): Promise<Embedder> {
    if (!this.ports.embedder) throw new SelfIndexError('invalid-argument', 'An embedder needs its worker.');
    return cachedEmbedder(await connectEmbedder(this.ports.embedder, spec), this.store.vectors);
  }
}
