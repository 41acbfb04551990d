import { PbfReader, PbfWriter } from 'pbf';

/** A node of an ONNX graph (NodeProto): what it computes, from which values to which. */
export interface OnnxNode {
  readonly operator: string;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  /** The whole message, where it came from a file. */
  readonly bytes?: Uint8Array;
}

/** A constant of an ONNX graph (TensorProto). */
export interface OnnxTensor {
  readonly name: string;
  readonly dims: readonly number[];
  /** `onnxTypes`. */
  readonly type: number;
  /** Little-endian values, of floats and bytes alone; undefined where the file keeps them outside. */
  readonly data?: Uint8Array;
  readonly bytes?: Uint8Array;
}

export const onnxTypes = { float32: 1, uint8: 2, int8: 3 } as const;

/** The part of an ONNX file that a rewriting of its graph looks at; everything else is kept as bytes. */
export interface OnnxModel {
  readonly nodes: readonly OnnxNode[];
  readonly constants: readonly OnnxTensor[];
  /** Fields of the model but its graph, and of the graph but nodes and constants, with their tags. */
  readonly otherOfModel: readonly Uint8Array[];
  readonly otherOfGraph: readonly Uint8Array[];
}

// Field numbers of onnx.proto3.
const model = { graph: 7 };
const graph = { node: 1, constant: 5 };
const node = { input: 1, output: 2, operator: 4 };
const tensor = { dims: 1, type: 2, floats: 4, integers: 5, name: 8, data: 9 };

/** Throws what the reader throws where the bytes are no protocol buffer: the runtime will say it better. */
export function readOnnx(bytes: Uint8Array): OnnxModel {
  const nodes: OnnxNode[] = [];
  const constants: OnnxTensor[] = [];
  const otherOfModel: Uint8Array[] = [];
  const otherOfGraph: Uint8Array[] = [];
  eachField(bytes, (tag, reader, whole) => {
    if (tag !== model.graph) otherOfModel.push(whole());
    else
      eachField(reader.readBytes(), (part, inner, wholePart) => {
        if (part === graph.node) nodes.push(readNode(inner.readBytes()));
        else if (part === graph.constant) constants.push(readTensor(inner.readBytes()));
        else otherOfGraph.push(wholePart());
      });
  });
  return { nodes, constants, otherOfModel, otherOfGraph };
}

/** The file of a model. */
export function writeOnnx({
  nodes,
  constants,
  otherOfModel,
  otherOfGraph,
}: OnnxModel): Uint8Array<ArrayBuffer> {
  const nodeBytes = nodes.map((value) => value.bytes ?? nodeMessage(value));
  const constantParts = constants.map((value) => (value.bytes ? [value.bytes] : tensorMessage(value)));
  const parts: Uint8Array[] = [...otherOfGraph];
  for (const value of nodeBytes) parts.push(header(graph.node, value.length), value);
  for (const value of constantParts) parts.push(header(graph.constant, lengthOf(value)), ...value);
  return concatenate([...otherOfModel, header(model.graph, lengthOf(parts)), ...parts]);
}

/** Visits the fields of a message; `whole` gives the bytes of one with its tag. */
function eachField(
  bytes: Uint8Array,
  visit: (tag: number, reader: PbfReader, whole: () => Uint8Array) => void,
): void {
  const reader = new PbfReader(bytes);
  while (reader.pos < reader.length) {
    const start = reader.pos;
    const head = reader.readVarint();
    const value = reader.pos;
    reader.type = head & 7;
    const skip = () => {
      reader.pos = value;
      reader.skip(head);
    };
    visit(head >>> 3, reader, () => {
      skip();
      return bytes.subarray(start, reader.pos);
    });
    if (reader.pos === value) skip();
  }
}

function readNode(bytes: Uint8Array): OnnxNode {
  const inputs: string[] = [];
  const outputs: string[] = [];
  let operator = '';
  eachField(bytes, (tag, reader) => {
    if (tag === node.input) inputs.push(reader.readString());
    else if (tag === node.output) outputs.push(reader.readString());
    else if (tag === node.operator) operator = reader.readString();
  });
  return { operator, inputs, outputs, bytes };
}

function readTensor(bytes: Uint8Array): OnnxTensor {
  const dims: number[] = [];
  let [type, name] = [0, ''];
  let data: Uint8Array | undefined;
  eachField(bytes, (tag, reader) => {
    if (tag === tensor.dims) {
      if (reader.type === 2) reader.readPackedVarint(dims, true);
      else dims.push(reader.readVarint(true));
    } else if (tag === tensor.type) type = reader.readVarint();
    else if (tag === tensor.name) name = reader.readString();
    else if (tag === tensor.data || (tag === tensor.floats && reader.type === 2)) data = reader.readBytes();
    else if (tag === tensor.integers && (type === onnxTypes.int8 || type === onnxTypes.uint8))
      data = Uint8Array.from(reader.readPackedVarint([], true));
  });
  return { name, dims, type, ...(data && { data }), bytes };
}

function nodeMessage({ operator, inputs, outputs }: OnnxNode): Uint8Array {
  const writer = new PbfWriter();
  for (const name of inputs) writer.writeStringField(node.input, name);
  for (const name of outputs) writer.writeStringField(node.output, name);
  writer.writeStringField(node.operator, operator);
  return writer.finish();
}

/** In parts, so that large values are copied once. */
function tensorMessage({ dims, type, name, data = new Uint8Array() }: OnnxTensor): Uint8Array[] {
  const writer = new PbfWriter();
  for (const size of dims) writer.writeVarintField(tensor.dims, size);
  writer.writeVarintField(tensor.type, type);
  writer.writeStringField(tensor.name, name);
  return [writer.finish(), header(tensor.data, data.length), data];
}

function header(tag: number, length: number): Uint8Array {
  const writer = new PbfWriter();
  writer.writeTag(tag, 2);
  writer.writeVarint(length);
  return writer.finish();
}

function lengthOf(parts: readonly Uint8Array[]): number {
  return parts.reduce((sum, part) => sum + part.length, 0);
}

function concatenate(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(lengthOf(parts));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
