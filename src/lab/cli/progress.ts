import type { LabProgress } from '../types.ts';

/** Shows progress on stderr: one line rewritten in a terminal, else a line for each step and a few in between. */
export class ProgressLine {
  private lastStep = '';
  private lastAt = 0;

  constructor(
    private readonly out: { readonly isTTY?: boolean; write(text: string): unknown } = process.stderr,
    private readonly now: () => number = Date.now,
  ) {}

  show(progress: LabProgress): void {
    const isNew = progress.step !== this.lastStep;
    const pause = this.out.isTTY ? 100 : 10_000;
    if (!isNew && progress.done !== progress.total && this.now() - this.lastAt < pause) return;
    if (isNew && this.out.isTTY && this.lastStep !== '') this.out.write('\n');
    this.lastStep = progress.step;
    this.lastAt = this.now();
    this.out.write(this.out.isTTY ? `\r\u001b[K${progressText(progress)}` : `${progressText(progress)}\n`);
  }

  end(): void {
    if (this.out.isTTY && this.lastStep !== '') this.out.write('\n');
    this.lastStep = '';
  }
}

/** For example `iteration 1, revise: 40 of 463 (12 calls, 3,400 tokens, about 2 min left)`. */
export function progressText({ step, done, total, secondsLeft, calls, tokens }: LabProgress): string {
  const parts = [
    ...(calls ? [`${calls.toLocaleString('en')} calls`] : []),
    ...(tokens ? [`${tokens.toLocaleString('en')} tokens`] : []),
    ...(secondsLeft === undefined || secondsLeft === null || done === total
      ? []
      : [`about ${durationText(secondsLeft)} left`]),
  ];
  const count = total === undefined ? `${done}` : `${done} of ${total}`;
  return `${step}: ${count}${parts.length > 0 ? ` (${parts.join(', ')})` : ''}`;
}

function durationText(seconds: number): string {
  return seconds < 90 ? `${Math.ceil(seconds)} s` : `${Math.round(seconds / 60)} min`;
}
