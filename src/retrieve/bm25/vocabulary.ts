/** Terms and their numbers, in order of first appearance; a number is never given twice. */
export class Vocabulary {
  private readonly numbers = new Map<string, number>();

  get size(): number {
    return this.numbers.size;
  }

  find(term: string): number | undefined {
    return this.numbers.get(term);
  }

  intern(term: string): number {
    const known = this.numbers.get(term);
    if (known !== undefined) return known;
    const number = this.numbers.size;
    this.numbers.set(term, number);
    return number;
  }

  terms(): string[] {
    return [...this.numbers.keys()];
  }
}
