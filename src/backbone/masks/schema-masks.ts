import { GrammarCompiler, GrammarMatcher, TokenizerInfo } from '@mlc-ai/web-xgrammar';
import type { CompiledGrammar } from '@mlc-ai/web-xgrammar';
import { canonicalJson } from '../../base/json.ts';
import type { JsonSchema } from '../../base/json.ts';
import type { TokenMask } from '../token-mask.ts';
import type { Vocabulary } from './vocabulary.ts';

/** Compiled schemas that are kept: roles have a handful. */
const mostKept = 16;

/**
 * Masks that hold what a model writes to a JSON schema, by xgrammar, the engine inside WebLLM. It loads in a browser only. JSON is
 * written on one line, as models write it: spaces after commas and colons, none elsewhere, where a small model would lose itself.
 */
export class SchemaMasks {
  private readonly compiled = new Map<string, Promise<CompiledGrammar>>();

  private constructor(
    private readonly tokenizer: TokenizerInfo,
    private readonly compiler: GrammarCompiler,
  ) {}

  /** `logits`: how many a pass of the model gives; `endIds` the tokens with which an answer may end. */
  static async create(
    { tokens, kind }: Vocabulary,
    logits: number,
    endIds: ReadonlySet<number>,
  ): Promise<SchemaMasks> {
    const tokenizer = await TokenizerInfo.createTokenizerInfo([...tokens], kind, false, logits, [...endIds]);
    return new SchemaMasks(tokenizer, await GrammarCompiler.createGrammarCompiler(tokenizer));
  }

  /** A mask for one answer, to be disposed of after it. Rejects where xgrammar does not know what the schema says. */
  async start(schema: JsonSchema): Promise<TokenMask> {
    return new XgrammarMask(await GrammarMatcher.createGrammarMatcher(await this.compile(schema)));
  }

  async dispose(): Promise<void> {
    const grammars = await Promise.allSettled(this.compiled.values());
    for (const grammar of grammars) if (grammar.status === 'fulfilled') grammar.value.dispose();
    this.compiler.dispose();
    this.tokenizer.dispose();
  }

  private compile(schema: JsonSchema): Promise<CompiledGrammar> {
    const key = canonicalJson(schema);
    const known = this.compiled.get(key);
    if (known) return known;
    // -1: on one line.
    const compiling = this.compiler.compileJSONSchema(JSON.stringify(schema), false, -1);
    this.compiled.set(key, compiling);
    const [oldest] = this.compiled;
    if (this.compiled.size > mostKept) {
      this.compiled.delete(oldest[0]);
      oldest[1].then(
        (grammar) => grammar.dispose(),
        () => {},
      );
    }
    return compiling;
  }
}

class XgrammarMask implements TokenMask {
  constructor(private readonly matcher: GrammarMatcher) {}

  async apply(logits: Float32Array): Promise<void> {
    const allowed = await this.matcher.getNextTokenBitmask();
    for (let id = 0; id < logits.length; id++)
      if (((allowed[id >> 5] >>> (id & 31)) & 1) === 0) logits[id] = -Infinity;
  }

  accept(token: number): void {
    this.matcher.acceptToken(token);
  }

  dispose(): void {
    this.matcher.dispose();
  }
}
