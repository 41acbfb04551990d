import { onnxTypes, readOnnx, writeOnnx } from './onnx-model.ts';
import type { OnnxModel, OnnxNode, OnnxTensor } from './onnx-model.ts';

/** Bytes of widened weights beyond which a tab's memory is not risked. */
const mostBytes = 2 ** 29;

/**
 * Undoes the dynamic quantisation of a model's activations. Dynamic int8 scales what flows between the weights by the
 * largest value of the whole batch, so that a text's vector depends on its neighbours. Here every
 * DynamicQuantizeLinear → MatMulInteger → Cast → Mul becomes one MatMul in f32 with the same int8 weights, widened: the
 * download stays small, a vector is its text's own, and nothing is rounded between the layers.
 *
 * @param bytes an ONNX file
 * @returns the rewritten file; undefined where there is nothing to undo, where one product does not have the form above
 *   (half undone would be neither the one nor the other), or where the weights would take more than 512 MiB
 */
export function widenWeights(bytes: Uint8Array): Uint8Array<ArrayBuffer> | undefined {
  let model: OnnxModel;
  try {
    model = readOnnx(bytes);
  } catch {
    // Not for this function to judge: the runtime refuses a damaged file with its own words.
    return undefined;
  }
  const products = model.nodes.filter(({ operator }) => operator === 'MatMulInteger');
  const graph = indexOf(model);
  const replacements = products.map((product) => replacementOf(product, graph));
  if (replacements.length === 0) return undefined;
  const gone = new Set<OnnxNode>();
  const added = new Map<OnnxNode, OnnxNode>();
  const widened: OnnxTensor[] = [];
  let total = 0;
  for (const replacement of replacements) {
    if (!replacement) return undefined;
    total += replacement.weights.data.length;
    if (total > mostBytes) return undefined;
    for (const node of replacement.replaced) gone.add(node);
    added.set(replacement.at, replacement.node);
    widened.push(replacement.weights);
  }
  const nodes = model.nodes.flatMap((node) => added.get(node) ?? (gone.has(node) ? [] : [node]));
  const used = new Set(nodes.flatMap(({ inputs }) => inputs));
  return writeOnnx({
    ...model,
    nodes: nodes.filter(
      ({ operator, outputs }) =>
        operator !== 'DynamicQuantizeLinear' || outputs.some((name) => used.has(name)),
    ),
    constants: [...model.constants.filter(({ name }) => used.has(name)), ...widened],
  });
}

interface Graph {
  readonly makers: ReadonlyMap<string, OnnxNode>;
  readonly takers: ReadonlyMap<string, readonly OnnxNode[]>;
  readonly constants: ReadonlyMap<string, OnnxTensor>;
}

interface Replacement {
  readonly replaced: readonly OnnxNode[];
  /** The node in whose place the new one goes: the order of nodes is the order of computation. */
  readonly at: OnnxNode;
  readonly node: OnnxNode;
  readonly weights: OnnxTensor & { readonly data: Uint8Array };
}

function indexOf({ nodes, constants }: OnnxModel): Graph {
  const makers = new Map<string, OnnxNode>();
  const takers = new Map<string, OnnxNode[]>();
  for (const node of nodes) {
    for (const name of node.outputs) makers.set(name, node);
    for (const name of node.inputs) takers.set(name, [...(takers.get(name) ?? []), node]);
  }
  return { makers, takers, constants: new Map(constants.map((tensor) => [tensor.name, tensor])) };
}

function replacementOf(product: OnnxNode, { makers, takers, constants }: Graph): Replacement | undefined {
  const [activations, weightsName, , zeroPointName] = product.inputs;
  const quantise = makers.get(activations);
  const cast = onlyTaker(product);
  const rescale = cast && onlyTaker(cast);
  const scaleValue = rescale?.inputs.find((name) => name !== cast?.outputs[0]);
  const scaling = scaleValue === undefined ? undefined : makers.get(scaleValue);
  if (
    quantise?.operator !== 'DynamicQuantizeLinear' ||
    cast?.operator !== 'Cast' ||
    rescale?.operator !== 'Mul' ||
    scaling?.operator !== 'Mul' ||
    !scaling.inputs.includes(quantise.outputs[1]) ||
    onlyTaker(scaling) !== rescale
  )
    return undefined;
  const scaleName = scaling.inputs.find((name) => name !== quantise.outputs[1]) ?? '';
  const weights = widen(constants.get(weightsName), constants.get(scaleName), constants.get(zeroPointName));
  if (!weights) return undefined;
  return {
    replaced: [product, cast, scaling],
    at: rescale,
    node: { operator: 'MatMul', inputs: [quantise.inputs[0], weights.name], outputs: rescale.outputs },
    weights,
  };

  function onlyTaker({ outputs }: OnnxNode): OnnxNode | undefined {
    const all = takers.get(outputs[0]) ?? [];
    return all.length === 1 ? all[0] : undefined;
  }
}

/** `(weights − zero point) × scale`, both per tensor or per column. */
function widen(weights?: OnnxTensor, scale?: OnnxTensor, zeroPoint?: OnnxTensor) {
  if (!weights?.data || weights.dims.length !== 2 || scale?.type !== onnxTypes.float32 || !scale.data)
    return undefined;
  const values = integersOf(weights);
  const zeros = zeroPoint ? integersOf(zeroPoint) : new Int8Array(1);
  if (!values || !zeros) return undefined;
  const [rows, columns] = weights.dims;
  const scales = new Float32Array(new Uint8Array(scale.data).buffer);
  const fits = (length: number) => length === 1 || length === columns;
  if (values.length !== rows * columns || !fits(scales.length) || !fits(zeros.length)) return undefined;
  const wide = new Float32Array(values.length);
  for (let at = 0, column = 0; at < values.length; at++, column = column + 1 === columns ? 0 : column + 1) {
    const zero = zeros[zeros.length === 1 ? 0 : column];
    wide[at] = (values[at] - zero) * scales[scales.length === 1 ? 0 : column];
  }
  return {
    name: `${weights.name}_f32`,
    dims: weights.dims,
    type: onnxTypes.float32,
    data: new Uint8Array(wide.buffer),
  };
}

function integersOf({ type, data }: OnnxTensor): Int8Array | Uint8Array | undefined {
  if (!data) return undefined;
  if (type === onnxTypes.uint8) return data;
  return type === onnxTypes.int8 ? new Int8Array(data.buffer, data.byteOffset, data.length) : undefined;
}
