import { expect, it } from 'vitest';
import { onnxTypes, readOnnx, writeOnnx } from '../../../src/embed/onnx/onnx-model.ts';
import type { OnnxModel, OnnxNode, OnnxTensor } from '../../../src/embed/onnx/onnx-model.ts';
import { widenWeights } from '../../../src/embed/onnx/widen-weights.ts';

const node = (operator: string, inputs: string[], outputs: string[]): OnnxNode => ({
  operator,
  inputs,
  outputs,
});
const floats = (name: string, values: number[]): OnnxTensor => ({
  name,
  dims: [values.length],
  type: onnxTypes.float32,
  data: new Uint8Array(Float32Array.from(values).buffer),
});
const bytes = (name: string, dims: number[], values: number[]): OnnxTensor => ({
  name,
  dims,
  type: onnxTypes.int8,
  data: new Uint8Array(Int8Array.from(values).buffer),
});

/** y = x · W with W quantised per column, followed by a node that reads y. */
function quantised(change: Partial<OnnxModel> = {}): Uint8Array<ArrayBuffer> {
  return writeOnnx({
    nodes: [
      node('DynamicQuantizeLinear', ['x'], ['xq', 'xs', 'xz']),
      node('MatMulInteger', ['xq', 'W', 'xz', 'Wz'], ['p']),
      node('Cast', ['p'], ['c']),
      node('Mul', ['xs', 'Ws'], ['s']),
      node('Mul', ['c', 's'], ['y']),
      node('Relu', ['y'], ['z']),
    ],
    constants: [
      bytes('W', [2, 3], [1, -2, 127, -128, 5, 0]),
      bytes('Wz', [3], [0, 1, -1]),
      floats('Ws', [0.5, 2, 0.25]),
    ],
    // ir_version 8; the graph's name "g".
    otherOfModel: [Uint8Array.of(0x08, 0x08)],
    otherOfGraph: [Uint8Array.of(0x12, 0x01, 0x67)],
    ...change,
  });
}

it('puts one product in f32 in the place of the four nodes, with the weights computed by hand', () => {
  const { nodes, constants, otherOfModel, otherOfGraph } = readOnnx(widenWeights(quantised()) as Uint8Array);
  expect(nodes.map(({ operator, inputs, outputs }) => [operator, inputs, outputs])).toEqual([
    ['MatMul', ['x', 'W_f32'], ['y']],
    ['Relu', ['y'], ['z']],
  ]);
  expect(constants).toMatchObject([{ name: 'W_f32', dims: [2, 3], type: onnxTypes.float32 }]);
  const wide = new Float32Array(new Uint8Array(constants[0].data as Uint8Array).buffer);
  expect([...wide]).toEqual([0.5, -6, 32, -64, 8, 0.25]);
  expect(otherOfModel).toEqual([Uint8Array.of(0x08, 0x08)]);
  expect(otherOfGraph).toEqual([Uint8Array.of(0x12, 0x01, 0x67)]);
});

it('reads values that a file keeps as packed floats and integers', () => {
  // TensorProto: dims 2, data_type FLOAT, float_data [1, -2], name "f"; then dims 2, INT8, int32_data [-1, 3], name "i".
  const f = [0x08, 2, 0x10, 1, 0x22, 8, 0, 0, 0x80, 0x3f, 0, 0, 0, 0xc0, 0x42, 1, 0x66];
  const minusOne = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01];
  const i = [0x08, 2, 0x10, 3, 0x2a, 11, ...minusOne, 3, 0x42, 1, 0x69];
  const graph = [0x2a, f.length, ...f, 0x2a, i.length, ...i];
  const { constants } = readOnnx(Uint8Array.from([0x3a, graph.length, ...graph]));
  expect(constants).toMatchObject([
    { name: 'f', dims: [2], data: Uint8Array.of(0, 0, 0x80, 0x3f, 0, 0, 0, 0xc0) },
    { name: 'i', dims: [2], data: Uint8Array.of(0xff, 3) },
  ]);
});

it.each<[string, Uint8Array]>([
  ['no integer product', quantised({ nodes: [node('MatMul', ['x', 'W'], ['y'])] })],
  [
    'a product whose sum is used twice',
    quantised({ nodes: [...readOnnx(quantised()).nodes, node('Relu', ['p'], ['q'])] }),
  ],
  [
    'weights that are computed',
    quantised({ constants: [bytes('Wz', [3], [0, 1, -1]), floats('Ws', [1, 1, 1])] }),
  ],
  [
    'scales of another length',
    quantised({ constants: [bytes('W', [2, 3], [1, 2, 3, 4, 5, 6]), floats('Ws', [1, 1])] }),
  ],
  [
    'weights of another length than their shape',
    quantised({ constants: [bytes('W', [2, 3], [1]), floats('Ws', [1])] }),
  ],
  ['no protocol buffer', Uint8Array.from({ length: 40 }, () => 0xff)],
  ['a page', new TextEncoder().encode('<!doctype html><title>Not found</title>')],
  ['nothing', new Uint8Array()],
])('leaves %s alone', (_, file) => {
  expect(widenWeights(file)).toBeUndefined();
});

it('keeps what it does not look at: a file written again is read as the same', () => {
  const once = readOnnx(quantised());
  expect(readOnnx(writeOnnx(once))).toEqual(once);
});
