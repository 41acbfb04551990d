import { messageOf } from '../../base/errors.ts';

export interface NoticeAction {
  readonly label: string;
  readonly run: () => void | Promise<void>;
}

export interface Notice {
  readonly id: number;
  readonly text: string;
  readonly tone: 'info' | 'good' | 'bad';
  readonly action?: NoticeAction;
  /** Stays until it is dismissed. */
  readonly lasting: boolean;
}

/** What the page tells in passing: toasts for the eye, one polite live region for the ear. */
export class Notices {
  items = $state.raw<readonly Notice[]>([]);
  /** Text of the live region; a toast speaks for itself. */
  spoken = $state('');
  #next = 1;

  show(
    text: string,
    options: { tone?: Notice['tone']; action?: NoticeAction; lasting?: boolean } = {},
  ): number {
    const { tone = 'info', action, lasting = tone === 'bad' } = options;
    const notice = { id: this.#next++, text, tone, action, lasting };
    this.items = [...this.items.slice(-2), notice];
    return notice.id;
  }

  /** Shows the sentence of whatever was thrown. */
  fail(error: unknown): void {
    this.show(messageOf(error), { tone: 'bad' });
  }

  dismiss(id: number): void {
    this.items = this.items.filter((notice) => notice.id !== id);
  }

  speak(text: string): void {
    this.spoken = text;
  }
}
