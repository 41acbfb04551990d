import { isAbort, SelfIndexError } from '../base/errors.ts';
import { contentHash } from '../base/hash.ts';
import { answerCall } from '../base/rpc-calls.ts';
import type { LoadOptions } from '../embed/model-files.ts';
import type { GeneratorSpec } from './generator-spec.ts';
import type { Choice, ChoiceRequest, Completion, CompletionRequest, LanguageModel } from './types.ts';

/** What a side that connects must know of a model to use it. */
export interface ModelInfo extends Pick<
  LanguageModel,
  'id' | 'contextTokens' | 'batchSize' | 'batchSensitive' | 'promptStyle' | 'schemas'
> {
  /** Names the loaded model in later calls. */
  readonly handle: string;
  readonly canChoose: boolean;
}

/** What the generator worker offers over comlink. Sides that ask for one spec share one model until the last lets go. */
export class GeneratorService {
  private readonly loaded = new Map<string, { readonly model: Promise<LanguageModel>; uses: number }>();

  constructor(
    private readonly loadModel: (spec: GeneratorSpec, options: LoadOptions) => Promise<LanguageModel>,
  ) {}

  load(spec: GeneratorSpec, port?: MessagePort): Promise<ModelInfo> {
    return answerCall<ModelInfo, [number, number]>(port, async (options) => {
      const handle = contentHash(spec);
      for (;;) {
        let entry = this.loaded.get(handle);
        if (!entry) {
          entry = { model: this.loadModel(spec, options), uses: 0 };
          this.loaded.set(handle, entry);
        }
        try {
          const model = await entry.model;
          entry.uses++;
          const { id, contextTokens, batchSize, batchSensitive, promptStyle, schemas } = model;
          const canChoose = model.choose !== undefined;
          return { handle, id, contextTokens, batchSize, batchSensitive, promptStyle, schemas, canChoose };
        } catch (error) {
          if (this.loaded.get(handle) === entry) this.loaded.delete(handle);
          // Another side began this load and gave it up; this one still wants it.
          if (isAbort(error) && !options.signal?.aborted) continue;
          throw error;
        }
      }
    });
  }

  complete(
    handle: string,
    requests: readonly CompletionRequest[],
    port?: MessagePort,
  ): Promise<Completion<unknown>[]> {
    return answerCall(port, async ({ signal }) => (await this.find(handle)).complete(requests, signal));
  }

  choose(handle: string, requests: readonly ChoiceRequest[], port?: MessagePort): Promise<Choice[]> {
    return answerCall(port, async ({ signal }) => {
      const model = await this.find(handle);
      if (!model.choose) throw new SelfIndexError('invalid-argument', `Model "${model.id}" cannot choose.`);
      return model.choose(requests, signal);
    });
  }

  async dispose(handle: string): Promise<void> {
    const entry = this.loaded.get(handle);
    if (!entry || --entry.uses > 0) return;
    this.loaded.delete(handle);
    await (await entry.model).dispose();
  }

  private find(handle: string): Promise<LanguageModel> {
    const entry = this.loaded.get(handle);
    if (!entry)
      throw new SelfIndexError('model-not-found', 'This model has been disposed of. Load it again.');
    return entry.model;
  }
}
