import { AutoModelForCausalLM } from '@xenova/transformers';
import type { PreTrainedModel, PreTrainedTokenizer } from '@xenova/transformers';
import { isAbort, messageOf, SelfIndexError } from '../base/errors.ts';
import type { JsonSchema, JsonValue } from '../base/json.ts';
import { createPacer } from '../base/pacer.ts';
import { findCatalogueModel } from '../embed/catalogue.ts';
import { isOutOfMemory, loadModel } from '../embed/load-model.ts';
import { readJson } from '../embed/model-files.ts';
import type { LoadOptions, ModelFiles } from '../embed/model-files.ts';
import type { TransformersSpec } from '../embed/types.ts';
import { inBatches } from './batch-ranges.ts';
import { Decoder } from './decoder.ts';
import { fitPrompt } from './fit-prompt.ts';
import { generate } from './generate.ts';
import type { SchemaMasks } from './masks/schema-masks.ts';
import { readVocabulary } from './masks/vocabulary.ts';
import type { Vocabulary } from './masks/vocabulary.ts';
import { parseAnswer } from './parse-answer.ts';
import { createSampler, softmaxOver } from './sampling.ts';
import type { TokenMask } from './token-mask.ts';
import type {
  Choice,
  ChoiceRequest,
  Completion,
  CompletionRequest,
  LanguageModel,
  Message,
} from './types.ts';

/** Prompt tokens in one pass of a batch: about a third of a second on two cores with a model of 135M. */
const tokensPerPass = 128;
/** Tokens in the cache of a batch, padding and answers included; at 46 KB each (135M model) a quarter of a gigabyte. */
const tokensPerBatch = 6144;
/** A model whose configuration names no context gets this, and none more than this: the cache grows with it. */
const mostContext = 4096;

/**
 * Loads a decoder-only language model of transformers.js. Runs where onnxruntime-web may block the thread: in the generator
 * worker.
 *
 * `complete` generates in batches of `batchSize`, in the order of the requests, smaller where prompts are long; with dynamic
 * int8 an answer depends on its batch. `choose` reads each prompt alone, in fixed slices: its probabilities depend on nothing else.
 *
 * A schema masks the tokens that may come next (`schemas` is `enforced`), where the tokeniser's tokens spell bytes; else, and for a
 * schema that xgrammar does not know, the answer is checked. What makes masks is loaded with the first schema. `temperature` 0 is greedy; above, nucleus sampling by the request's seed.
 *
 * @throws SelfIndexError as `loadModel`
 */
export async function loadTransformersModel(
  spec: TransformersSpec,
  options: LoadOptions = {},
): Promise<LanguageModel> {
  const { dtype = 'q8', device = 'wasm' } = spec;
  const loaded = await loadModel(AutoModelForCausalLM, spec, options);
  const { model, tokenizer, files, revision } = loaded;
  const known = findCatalogueModel(spec.model)?.generation;
  const positions = readJson(files, 'config.json')?.max_position_embeddings;
  return new TransformersModel(model, tokenizer, {
    id: `${spec.model}@${revision}/${dtype}/${device}`,
    // A copy of another make may have fewer positions than the catalogue's.
    contextTokens: Math.min(
      known?.contextTokens ?? mostContext,
      typeof positions === 'number' ? positions : Infinity,
    ),
    batchSize: known?.batchSize ?? 8,
    batchSensitive: dtype === 'q8',
    promptStyle: known?.promptStyle ?? 'full',
    endIds: endIds(files, tokenizer),
    vocabulary: readVocabulary(readJson(files, 'tokenizer.json') as JsonValue | undefined),
    logits: logitsOf(files),
    onCpu: device === 'wasm',
  });
}

interface Prompt {
  readonly ids: readonly number[];
  /** UTF-16 units cut from it. */
  readonly cut: number;
}

interface Traits extends Pick<
  LanguageModel,
  'id' | 'contextTokens' | 'batchSize' | 'batchSensitive' | 'promptStyle'
> {
  readonly endIds: ReadonlySet<number>;
  readonly vocabulary: Vocabulary | undefined;
  /** How many there are in a pass; undefined where the configuration does not say. */
  readonly logits: number | undefined;
  readonly onCpu: boolean;
}

class TransformersModel implements LanguageModel {
  readonly id: string;
  readonly contextTokens: number;
  readonly batchSize: number;
  readonly batchSensitive: boolean;
  readonly promptStyle: 'full' | 'compact';
  readonly schemas: 'enforced' | 'checked';
  private readonly decoder: Decoder;
  private masks: Promise<SchemaMasks> | undefined;
  private queue: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly model: PreTrainedModel,
    private readonly tokenizer: PreTrainedTokenizer,
    private readonly traits: Traits,
  ) {
    this.id = traits.id;
    this.contextTokens = traits.contextTokens;
    this.batchSize = traits.batchSize;
    this.batchSensitive = traits.batchSensitive;
    this.promptStyle = traits.promptStyle;
    this.schemas = traits.vocabulary ? 'enforced' : 'checked';
    this.decoder = new Decoder(model, Number(tokenizer.pad_token_id ?? 0), tokensPerPass, traits.onCpu);
  }

  complete<T>(requests: readonly CompletionRequest[], signal?: AbortSignal): Promise<Completion<T>[]> {
    return this.inTurn(async () => {
      const prompts: Prompt[] = [];
      const pacer = createPacer(signal);
      for (const request of requests) {
        await pacer.pause();
        prompts.push(await this.fit(request.messages, request.maxTokens));
      }
      const completions: Completion<T>[] = [];
      const lengths = requests.map(({ maxTokens }, i) => prompts[i].ids.length + maxTokens);
      for (const [start, end] of inBatches(lengths, this.batchSize, tokensPerBatch))
        completions.push(
          ...(await this.completeBatch<T>(requests.slice(start, end), prompts.slice(start, end), signal)),
        );
      return completions;
    }, signal);
  }

  choose(requests: readonly ChoiceRequest[], signal?: AbortSignal): Promise<Choice[]> {
    return this.inTurn(async () => {
      const choices: Choice[] = [];
      const pacer = createPacer(signal);
      for (const { messages, options } of requests) {
        const ids = this.optionIds(options);
        const began = performance.now();
        const prompt = await this.fit(messages, 1);
        const { logits } = await this.decoder.readOne(prompt.ids, pacer);
        choices.push({
          probabilities: softmaxOver(logits, ids),
          usage: {
            inputTokens: prompt.ids.length,
            outputTokens: 1,
            milliseconds: performance.now() - began,
          },
          ...(prompt.cut > 0 && { cut: prompt.cut }),
        });
      }
      return choices;
    }, signal);
  }

  async dispose(): Promise<void> {
    await this.queue.catch(() => {});
    await (await this.masks?.catch(() => undefined))?.dispose();
    await this.model.dispose();
  }

  private async completeBatch<T>(
    requests: readonly CompletionRequest[],
    prompts: readonly Prompt[],
    signal: AbortSignal | undefined,
  ): Promise<Completion<T>[]> {
    const began = performance.now();
    const masks: (TokenMask | undefined)[] = [];
    for (const { schema } of requests) masks.push(schema && (await this.mask(schema)));
    const rows = requests.map(({ maxTokens, temperature = 0, seed = 0 }, i) => ({
      ids: prompts[i].ids,
      maxTokens,
      sample: createSampler(temperature, seed),
      mask: masks[i],
    }));
    const answers = await generate(this.decoder, rows, this.traits.endIds, createPacer(signal)).finally(() =>
      masks.forEach((mask) => mask?.dispose()),
    );
    const milliseconds = (performance.now() - began) / requests.length;
    return answers.map((ids, i) => {
      // The tokeniser refuses to decode nothing.
      const text = ids.length === 0 ? '' : this.tokenizer.decode([...ids], { skip_special_tokens: true });
      return {
        ...parseAnswer<T>(text, requests[i].schema),
        text,
        usage: { inputTokens: prompts[i].ids.length, outputTokens: ids.length, milliseconds },
        ...(prompts[i].cut > 0 && { cut: prompts[i].cut }),
      };
    });
  }

  /** undefined where an answer can only be checked. */
  private async mask(schema: JsonSchema): Promise<TokenMask | undefined> {
    const { vocabulary, logits, endIds } = this.traits;
    if (!vocabulary) return undefined;
    this.masks ??= import('./masks/schema-masks.ts')
      .then(({ SchemaMasks: Masks }) => Masks.create(vocabulary, logits ?? vocabulary.tokens.length, endIds))
      .catch((error: unknown) => {
        // It may have been the network: the next schema tries again.
        this.masks = undefined;
        throw error;
      });
    const masks = await this.masks;
    return masks.start(schema).catch(() => undefined);
  }

  private async fit(messages: readonly Message[], maxTokens: number): Promise<Prompt> {
    const fitted = await fitPrompt(
      messages,
      this.contextTokens - maxTokens,
      (shortened) => this.encode(shortened).length,
    );
    return { ids: this.encode(fitted.messages), cut: fitted.cut };
  }

  private encode(messages: readonly Message[]): number[] {
    const text = this.tokenizer.apply_chat_template(
      messages.map(({ role, content }) => ({ role, content: this.plain(content) })),
      { tokenize: false, add_generation_prompt: true },
    );
    return this.tokenizer(text, { add_special_tokens: false, return_tensor: false }).input_ids;
  }

  /** Texts are data: where one spells a token that ends a message or begins another, it is spelt apart. */
  private plain(content: string): string {
    return this.tokenizer.all_special_tokens.reduce(
      (text: string, token: string) => text.replaceAll(token, `${token.slice(0, 1)} ${token.slice(1)}`),
      content,
    );
  }

  private optionIds(options: readonly string[]): number[] {
    const ids = options.map((option) => {
      const { input_ids } = this.tokenizer(option, { add_special_tokens: false, return_tensor: false });
      if (input_ids.length !== 1)
        throw new SelfIndexError(
          'invalid-argument',
          `The option ${JSON.stringify(option)} is ${input_ids.length} tokens for this model; each must be one.`,
        );
      return input_ids[0];
    });
    if (new Set(ids).size !== ids.length || ids.length === 0)
      throw new SelfIndexError('invalid-argument', 'Options must be different, and at least one.');
    return ids;
  }

  /** One call at a time: the runtime has one session, and the decoder one memory of the last prompt. */
  private inTurn<R>(work: () => Promise<R>, signal: AbortSignal | undefined): Promise<R> {
    const turn = this.queue
      .catch(() => {})
      .then(async () => {
        signal?.throwIfAborted();
        try {
          return await work();
        } catch (error) {
          signal?.throwIfAborted();
          if (error instanceof SelfIndexError || isAbort(error)) throw error;
          throw failure(error);
        }
      });
    this.queue = turn;
    return turn;
  }
}

function failure(cause: unknown): SelfIndexError {
  const memory = isOutOfMemory(cause);
  return new SelfIndexError(
    'model-failed',
    memory
      ? 'The language model ran out of memory. Reload it, and use shorter texts or a smaller model.'
      : `The language model failed: ${messageOf(cause)}. Reload it.`,
    { cause, details: memory ? { reason: 'memory' } : {} },
  );
}

function logitsOf(files: ModelFiles): number | undefined {
  const size = readJson(files, 'config.json')?.vocab_size;
  return typeof size === 'number' ? size : undefined;
}

/** Tokens after which an answer is over. */
function endIds(files: ModelFiles, tokenizer: PreTrainedTokenizer): ReadonlySet<number> {
  const configured = [
    readJson(files, 'generation_config.json')?.eos_token_id,
    readJson(files, 'config.json')?.eos_token_id,
    tokenizer.eos_token_id,
  ];
  return new Set(configured.flat().filter((id): id is number => typeof id === 'number'));
}
