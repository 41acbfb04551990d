type Bytes = Uint8Array<ArrayBuffer>;

/** Runs chunks through a transform such as CompressionStream. */
export async function* through(
  chunks: ReadableStream<Bytes>,
  transform: ReadableWritablePair<Uint8Array, BufferSource>,
): AsyncGenerator<Uint8Array> {
  yield* readChunks(chunks.pipeThrough(transform));
}

/** The chunks of a stream; a reader that stops early cancels it. */
export async function* readChunks<T>(stream: ReadableStream<T>): AsyncGenerator<T> {
  const reader = stream.getReader();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

/** A stream that asks its source for a chunk when there is room for it. */
export function streamOf(chunks: Iterable<Bytes> | AsyncIterable<Bytes>): ReadableStream<Bytes> {
  const iterator = Symbol.iterator in chunks ? chunks[Symbol.iterator]() : chunks[Symbol.asyncIterator]();
  return new ReadableStream<Bytes>({
    async pull(controller) {
      const next = await iterator.next();
      if (next.done) controller.close();
      else controller.enqueue(next.value);
    },
    async cancel() {
      await iterator.return?.();
    },
  });
}

/** The same bytes in pieces of at most `length`. A decompressor unpacks a chunk whole before anyone can stop it. */
export function inPieces(chunks: ReadableStream<Bytes>, length: number): ReadableStream<Bytes> {
  return streamOf(piecesOf(chunks, length));
}

async function* piecesOf(chunks: ReadableStream<Bytes>, length: number): AsyncGenerator<Bytes> {
  for await (const chunk of readChunks(chunks)) {
    for (let start = 0; start < chunk.length; start += length) yield chunk.subarray(start, start + length);
  }
}

const chunkLength = 65_536;

/** Records as lines of JSON, in chunks: no string ever holds more than one chunk and one record. */
export function* jsonLines(records: Iterable<unknown>): Generator<Bytes> {
  const encoder = new TextEncoder();
  let lines = '';
  for (const record of records) {
    lines += `${JSON.stringify(record)}\n`;
    if (lines.length < chunkLength) continue;
    yield encoder.encode(lines);
    lines = '';
  }
  if (lines !== '') yield encoder.encode(lines);
}

const newline = 0x0a;

/** The lines of a stream of UTF-8, without their ends. Throws where the last line has no end or bytes are no UTF-8. */
export async function* readLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let line = '';
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      yield line + decoder.decode(chunk.subarray(start, end));
      line = '';
      start = end + 1;
    }
    line += decoder.decode(chunk.subarray(start), { stream: true });
  }
  if (line + decoder.decode() !== '') throw new Error('the last line has no end');
}
