import { isAbort, messageOf, SelfIndexError } from '../../base/errors.ts';
import type { Embedder } from '../../embed/types.ts';
import type { EmbeddingStatus } from '../types.ts';

type Coming = NonNullable<EmbeddingStatus['coming']>;

/** Who answers and who is coming, for those who want to know. */
export class EmbeddingNews {
  private state: EmbeddingStatus = {};
  private readonly listeners = new Set<(status: EmbeddingStatus) => void>();
  private unsubscribe = () => {};

  get status(): EmbeddingStatus {
    return this.state;
  }

  onStatus(listener: (status: EmbeddingStatus) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  answering(embedder: Embedder): void {
    this.unsubscribe();
    this.unsubscribe = embedder.onDevice?.((device) => this.tell({ ...this.state, device })) ?? (() => {});
    const { fingerprint, device } = embedder;
    this.tell({ answering: fingerprint, device });
  }

  /** @returns what is to be called with its progress: told when a further hundredth is done */
  coming(model: string, stage: Coming['stage']): (done: number, total: number) => void {
    this.tell({ ...this.state, failed: undefined, coming: { model, stage, done: 0, total: 0 } });
    return (done, total) => {
      const before = this.state.coming;
      const coming: Coming = { model, stage, done, total };
      if (before?.stage === stage && hundredth(before) === hundredth(coming)) return;
      this.tell({ ...this.state, coming });
    };
  }

  failed(model: string, error: unknown): void {
    const code = error instanceof SelfIndexError ? error.code : isAbort(error) ? 'aborted' : 'internal';
    this.tell({ ...this.state, coming: undefined, failed: { model, code, message: messageOf(error) } });
  }

  end(): void {
    this.unsubscribe();
  }

  private tell(status: EmbeddingStatus): void {
    // Without what is undefined: it crosses to the page as plain data.
    this.state = Object.fromEntries(Object.entries(status).filter(([, value]) => value !== undefined));
    for (const listener of [...this.listeners]) listener(this.state);
  }
}

function hundredth({ done, total }: Coming): number {
  return Math.floor((100 * done) / Math.max(1, total));
}
