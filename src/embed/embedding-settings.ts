import { findCatalogueModel } from './catalogue.ts';
import { readJson } from './model-files.ts';
import type { ModelFiles } from './model-files.ts';
import type { Fingerprint } from './types.ts';

export type EmbeddingSettings = Pick<Fingerprint, 'pooling' | 'queryPrefix' | 'passagePrefix'> & {
  readonly maxTokens: number;
};

/** An encoder that does not say how much it reads is not fed more than this. */
const mostTokens = 512;

/**
 * How an encoder wants to be used, as its own files say (the layout of sentence-transformers): pooling from
 * `1_Pooling/config.json`, prefixes from `config_sentence_transformers.json`, length from `sentence_bert_config.json` or the
 * tokenizer. The catalogue answers for what they leave open, then: mean, no prefixes, 512 tokens.
 */
export function embeddingSettings(
  model: string,
  files: ModelFiles,
  tokenizerLength: number,
): EmbeddingSettings {
  const known = findCatalogueModel(model)?.embedding;
  const prompts = readJson(files, 'config_sentence_transformers.json')?.prompts as
    Record<string, unknown> | undefined;
  const prefix = (...names: string[]) =>
    names.map((name) => prompts?.[name]).find((value) => typeof value === 'string');
  const length = readJson(files, 'sentence_bert_config.json')?.max_seq_length;
  return {
    pooling: poolingOf(readJson(files, '1_Pooling/config.json')) ?? known?.pooling ?? 'mean',
    queryPrefix: prefix('query', 'search_query') ?? known?.queryPrefix ?? '',
    passagePrefix: prefix('passage', 'document', 'search_document') ?? known?.passagePrefix ?? '',
    maxTokens:
      typeof length === 'number' ? length : (known?.maxTokens ?? Math.min(mostTokens, tokenizerLength)),
  };
}

function poolingOf(config: Record<string, unknown> | undefined): Fingerprint['pooling'] | undefined {
  if (config?.pooling_mode_mean_tokens) return 'mean';
  if (config?.pooling_mode_cls_token) return 'cls';
  if (config?.pooling_mode_lasttoken) return 'last';
  return undefined;
}
