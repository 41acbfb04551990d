import { appendFileSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** A file that is written aside and appears under its name when it is finished: a cancelled run leaves none. */
export class OutputFile {
  private readonly aside: string;

  /** @throws where the place cannot be written: at the start, not after an hour. */
  constructor(private readonly path: string) {
    mkdirSync(dirname(path), { recursive: true });
    this.aside = `${path}.${process.pid}.part`;
    writeFileSync(this.aside, '');
  }

  append(text: string): void {
    appendFileSync(this.aside, text);
  }

  finish(): void {
    renameSync(this.aside, this.path);
  }

  discard(): void {
    if (existsSync(this.aside)) rmSync(this.aside);
  }
}
