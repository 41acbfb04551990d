import { transfer } from 'comlink';
import { SelfIndexError } from '../base/errors.ts';
import { answerCall } from '../base/rpc-calls.ts';
import { loadPairScorer, type PairScorer, type TextPair } from './pair-scorer.ts';
import type { TransformersSpec } from './types.ts';

export type ScorerInfo = Pick<PairScorer, 'id' | 'labels' | 'maxTokens'>;

/** What the scorer worker offers over comlink: one model, until the worker ends. */
export class ScorerService {
  private scorer: PairScorer | undefined;

  load(spec: TransformersSpec, port?: MessagePort): Promise<ScorerInfo> {
    return answerCall<ScorerInfo, [number, number]>(port, async (options) => {
      if (this.scorer) throw new SelfIndexError('invalid-argument', 'This worker has a model already.');
      this.scorer = await loadPairScorer(spec, options);
      const { id, labels, maxTokens } = this.scorer;
      return { id, labels, maxTokens };
    });
  }

  score(pairs: readonly TextPair[], port?: MessagePort): Promise<Float32Array> {
    return answerCall(port, async ({ signal }) => {
      if (!this.scorer) throw new SelfIndexError('model-not-found', 'No model is loaded. Load one first.');
      const scores = await this.scorer.score(pairs, signal);
      return transfer(scores, [scores.buffer]);
    });
  }
}
