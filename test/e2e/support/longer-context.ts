/** How many times as long the context becomes. */
const times = 8;

/**
 * The tiny language model with a longer table of positions, so that the page's prompts fit in: its rows come again and again. Its
 * ONNX file is a protobuf message: graph (7) → initializer (5) → dims (1), name (8), raw_data (9).
 */
export function withLongerContext(model: Buffer): Buffer {
  return mapFields(model, 7, (graph) => mapFields(graph, 5, lengthen));
}

/** A configuration that says so. */
export function longerConfig(json: string): string {
  const config = JSON.parse(json) as { max_position_embeddings: number };
  return JSON.stringify({ ...config, max_position_embeddings: config.max_position_embeddings * times });
}

function lengthen(tensor: Buffer): Buffer {
  const fields = [...fieldsOf(tensor)];
  if (!fields.some(({ number, body }) => number === 8 && body.toString() === 'positions')) return tensor;
  const rows = fields.findIndex(({ number }) => number === 1);
  return Buffer.concat(
    fields.map(({ number, body, raw }, i) => {
      if (i === rows) return Buffer.from([number << 3, ...varint(readVarint(body, 0)[0] * times)]);
      return number === 9 ? delimited(number, Buffer.concat(Array<Buffer>(times).fill(body))) : raw;
    }),
  );
}

interface Field {
  readonly number: number;
  /** With its tag. */
  readonly raw: Buffer;
  readonly body: Buffer;
}

function mapFields(message: Buffer, number: number, change: (body: Buffer) => Buffer): Buffer {
  const fields = [...fieldsOf(message)];
  return Buffer.concat(
    fields.map((field) => (field.number === number ? delimited(number, change(field.body)) : field.raw)),
  );
}

function* fieldsOf(message: Buffer): Generator<Field> {
  for (let at = 0; at < message.length;) {
    const start = at;
    let tag: number;
    [tag, at] = readVarint(message, at);
    let from = at;
    const wire = tag & 7;
    if (wire === 0) [, at] = readVarint(message, at);
    else if (wire === 1) at += 8;
    else if (wire === 5) at += 4;
    else {
      let length: number;
      [length, from] = readVarint(message, at);
      at = from + length;
    }
    yield { number: tag >> 3, raw: message.subarray(start, at), body: message.subarray(from, at) };
  }
}

function delimited(number: number, body: Buffer): Buffer {
  return Buffer.concat([Buffer.from([(number << 3) | 2, ...varint(body.length)]), body]);
}

function readVarint(bytes: Buffer, at: number): [value: number, next: number] {
  let value = 0;
  for (let shift = 1; ; shift *= 128) {
    const byte = bytes[at++];
    value += (byte & 127) * shift;
    if (byte < 128) return [value, at];
  }
}

function varint(value: number): number[] {
  return value < 128 ? [value] : [(value % 128) | 128, ...varint(Math.floor(value / 128))];
}
