import type { PartFile, PartWriter } from './part-file.ts';

/** A part in memory: where there is no room to keep a file, and it may live as long as the page. */
export class MemoryPart implements PartFile {
  private chunks: Uint8Array<ArrayBuffer>[] = [];
  private length = 0;
  private text: string | undefined;

  /** The bytes as one; they are not copied. */
  blob(): Blob {
    return new Blob(this.chunks);
  }

  async size(): Promise<number> {
    return this.length;
  }

  async note(): Promise<string | undefined> {
    return this.text;
  }

  async setNote(note: string | undefined): Promise<void> {
    this.text = note;
  }

  async write(start: number): Promise<PartWriter> {
    let kept = 0;
    const before = this.chunks;
    this.chunks = [];
    for (const chunk of before) {
      if (kept === start) break;
      const part = chunk.subarray(0, start - kept);
      this.chunks.push(part);
      kept += part.length;
    }
    this.length = kept;
    return {
      write: (chunk) => {
        this.chunks.push(chunk.slice());
        this.length += chunk.length;
      },
      close: () => {},
    };
  }

  async *read(): AsyncIterable<Uint8Array> {
    yield* this.chunks;
  }

  async keep(): Promise<void> {
    this.text = undefined;
  }

  async discard(): Promise<void> {
    this.chunks = [];
    this.length = 0;
    this.text = undefined;
  }
}
