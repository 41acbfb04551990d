import { SelfIndexError } from '../../../../src/base/errors.ts';
import { createMemoryStore } from '../../../../src/store/memory.ts';
import { EmbedderHolder, type EmbedderWish } from '../../../../src/evolve/remote/embedder-holder.ts';
import { defaultSettings, IndexEngine } from '../../../../src/evolve/index-engine.ts';
import { makeMachinery } from '../../../../src/evolve/machinery.ts';
import { alone } from '../../../../src/evolve/tabs.ts';
import type { EmbeddingStatus } from '../../../../src/evolve/types.ts';
import type { EmbedderHost } from '../../../../src/embed/worker-embedder.ts';
import type { Embedder, EmbedderSpec } from '../../../../src/embed/types.ts';
import type { RetrieverKind } from '../../../../src/retrieve/types.ts';
import type { IndexStore } from '../../../../src/store/types.ts';
import { extractiveRoles } from '../../../../src/roles/extractive/roles.ts';

/** A model that counts some letters: its name, one dimension a letter. Models of other letters rank otherwise. */
export interface LetterModel {
  /** Passages it has embedded. */
  readonly passages: string[];
  /** Waited for before each text. */
  gate: (text: string) => Promise<void>;
  disposals: number;
  /** Thrown by loading it. */
  missing?: Error;
}

/** An embedder worker's models, by name. */
export class LetterModels implements EmbedderHost {
  readonly models = new Map<string, LetterModel>();
  readonly loaded: string[] = [];
  terminated = false;

  of(name: string): LetterModel {
    let model = this.models.get(name);
    if (!model) {
      model = { passages: [], gate: async () => {}, disposals: 0 };
      this.models.set(name, model);
    }
    return model;
  }

  async load(spec: EmbedderSpec, options: Parameters<EmbedderHost['load']>[1] = {}): Promise<Embedder> {
    const model = this.of(spec.model);
    if (model.missing) throw model.missing;
    options.signal?.throwIfAborted();
    this.loaded.push(spec.model);
    const letters = [...spec.model];
    let disposed = false;
    return {
      fingerprint: {
        ...(spec.kind === 'static' && { kind: 'static' as const }),
        model: spec.model,
        revision: '1',
        dtype: 'fp32',
        pooling: 'mean',
        dimensions: letters.length,
        queryPrefix: '',
        passagePrefix: '',
        tokenizer: 'letters',
      },
      dimensions: letters.length,
      maxTokens: 1000,
      async embed(texts, role, { signal, onProgress } = {}) {
        const rows = new Float32Array(texts.length * letters.length);
        const stopped = aborted(signal);
        for (const [i, text] of texts.entries()) {
          await Promise.race([model.gate(text), stopped]);
          signal?.throwIfAborted();
          if (disposed) throw new SelfIndexError('model-not-found', 'This embedder has been disposed of.');
          if (role === 'passage') model.passages.push(text);
          const counts = letters.map((letter) => 0.01 + text.toLowerCase().split(letter).length - 1);
          const norm = Math.hypot(...counts);
          counts.forEach((count, d) => (rows[i * letters.length + d] = count / norm));
          onProgress?.(i + 1, texts.length);
        }
        return rows;
      },
      async dispose() {
        disposed = true;
        model.disposals++;
      },
    };
  }

  terminate(): void {
    this.terminated = true;
  }
}

function aborted(signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => signal?.addEventListener('abort', () => resolve(), { once: true }));
}

/** As `openFromSpec`, with models of this thread. */
export async function openWith(
  wish: Omit<EmbedderWish, 'retriever'>,
  {
    store = createMemoryStore('letters'),
    models = new LetterModels(),
    retriever = 'dense',
  }: { store?: IndexStore; models?: LetterModels; retriever?: RetrieverKind } = {},
) {
  const changes: string[] = [];
  const holder = await EmbedderHolder.open(
    { ...wish, retriever },
    { host: models, store, onChange: async () => void changes.push(holder.current.fingerprint.model) },
  );
  const statuses: EmbeddingStatus[] = [];
  holder.onStatus((status) => statuses.push(status));
  const engine = await IndexEngine.open({
    store,
    tabs: alone,
    machinery: makeMachinery(retriever, { embedder: holder.current }),
    settings: { ...defaultSettings, retriever },
    makeRoles: async () => extractiveRoles(),
    ...(wish.instant && {
      ready: (signal: AbortSignal) => holder.ready(signal),
      standIn: () => holder.standIn(),
    }),
    dispose: () => holder.dispose(),
  });
  await holder.begin(engine);
  return { engine, holder, models, store, statuses, changes };
}

/** A gate that lets some texts through and holds the rest until it is opened; `reached` resolves when the first is held. */
export function gateAfter(count: number) {
  let open = () => {};
  let reach = () => {};
  const opened = new Promise<void>((resolve) => (open = resolve));
  const reached = new Promise<void>((resolve) => (reach = resolve));
  let left = count;
  const gate = async () => {
    if (left-- > 0) return;
    reach();
    await opened;
  };
  return { gate, open, reached };
}
