import type { ConnectedIndex, RolesChoice } from '../../evolve/types.ts';
import { listModels, type InstalledModel } from '../intake/models.ts';
import { keep, kept } from './keep.ts';

/** Who is to play the roles, as a person chooses it. */
export type Player =
  | { readonly kind: 'rules' }
  /** A language model that is kept in this browser or served with the page. */
  | { readonly kind: 'installed'; readonly model: string }
  /** A server that speaks OpenAI's chat completions; the key is kept nowhere. */
  | { readonly kind: 'endpoint'; readonly url: string; readonly model: string; readonly apiKey: string };

/** The choice of roles: rules unless a person wants otherwise. Nothing is loaded or sent by choosing. */
export class RolesState {
  player = $state.raw<Player>({ kind: 'rules' });
  installed = $state.raw<readonly InstalledModel[]>([]);
  readonly writers = $derived(this.installed.filter(({ kind }) => kind === 'generator'));
  /** Judges for a small model, where one is installed. */
  readonly judge = $derived(this.installed.find(({ kind }) => kind === 'embedder'));
  readonly #index: ConnectedIndex;
  readonly #place: string;
  #listed: Promise<void> | undefined;
  /** What the engine was told. */
  #told: Player | null = this.player;

  constructor(index: ConnectedIndex) {
    this.#index = index;
    this.#place = `self-index/${index.name}/roles`;
    this.player = parsed(kept(this.#place));
  }

  /** Models have come or gone. */
  relist(): void {
    this.#listed = undefined;
    // What the engine was told may name a model that is another now.
    if (this.#told?.kind === 'installed') this.#told = null;
    void this.list();
  }

  /** Looks once what models there are. */
  list(): Promise<void> {
    return (this.#listed ??= listModels().then((models) => {
      this.installed = models;
    }));
  }

  choose(player: Player): void {
    this.player = player;
    const lasting = player.kind === 'endpoint' ? { ...player, apiKey: '' } : player;
    keep(this.#place, player.kind === 'rules' ? null : JSON.stringify(lasting));
  }

  /** Tells the engine, before an evolution. */
  async apply(): Promise<void> {
    const { player } = this;
    if (player === this.#told) return;
    await this.list();
    const writer = this.writers.find(({ id }) => player.kind === 'installed' && id === player.model);
    await this.#index.setRoles(choiceOf(player, writer, this.judge));
    this.#told = player;
  }
}

/** @throws SelfIndexError `invalid-argument` by the engine, where the address is none */
function choiceOf(
  player: Player,
  writer: InstalledModel | undefined,
  judge: InstalledModel | undefined,
): RolesChoice {
  switch (player.kind) {
    case 'rules':
      return { roles: 'extractive' };
    case 'installed':
      return {
        roles: `transformers:${player.model}`,
        ...(writer?.dtype && { generator: { dtype: writer.dtype } }),
        ...(judge && { embedder: { model: judge.id, ...(judge.dtype && { dtype: judge.dtype }) } }),
      };
    case 'endpoint': {
      const { url, model, apiKey } = player;
      return { roles: `openai:${url.trim()}#${model.trim()}`, ...(apiKey && { apiKey }) };
    }
  }
}

function parsed(text: string | null): Player {
  try {
    const value = JSON.parse(text ?? 'null') as Partial<Record<string, unknown>> | null;
    const { kind, model, url } = value ?? {};
    if (kind === 'installed' && typeof model === 'string') return { kind, model };
    if (kind === 'endpoint' && typeof model === 'string' && typeof url === 'string')
      return { kind, model, url, apiKey: '' };
  } catch {
    // What cannot be read is no choice.
  }
  return { kind: 'rules' };
}
