/** How fast bytes come, over the last seconds: what a person wants to know. */
export class Speedometer {
  private readonly marks: { readonly at: number; readonly done: number }[] = [];

  /** @param span milliseconds that count. Default 5,000. */
  constructor(private readonly span = 5000) {}

  /** @param at milliseconds of a clock that never goes back */
  mark(done: number, at: number): void {
    // A download that began again has no speed yet.
    if (this.marks.length > 0 && done < this.marks[this.marks.length - 1].done) this.marks.length = 0;
    this.marks.push({ at, done });
    while (this.marks.length > 2 && at - this.marks[1].at >= this.span) this.marks.shift();
  }

  /** undefined until half a second has been seen. */
  get bytesPerSecond(): number | undefined {
    const first = this.marks.at(0);
    const last = this.marks.at(-1);
    if (!first || !last || last.at - first.at < 500) return undefined;
    return ((last.done - first.done) / (last.at - first.at)) * 1000;
  }

  /** undefined where the total is not known, or nothing comes. */
  secondsLeft(total: number | undefined): number | undefined {
    const speed = this.bytesPerSecond;
    const last = this.marks.at(-1);
    if (!speed || !last || total === undefined) return undefined;
    return Math.max(0, total - last.done) / speed;
  }
}
