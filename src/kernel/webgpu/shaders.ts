/** WGSL of the batch search: scores of tiles, the best of slices of 1,024 rows, and the best of what was kept so far. */

/** Entries that one workgroup sorts. */
export const sortSize = 1024;
/** Rows and queries of one workgroup's tile of scores. */
export const tileSize = 32;

export type GpuFormat = 'f32' | 'int8';

/**
 * 32 rows × 32 queries a workgroup, 4 × 4 a thread, 16 columns of four coordinates (or of sixteen codes) at a time through
 * workgroup memory. The numbers of rows and queries are multiples of 32.
 */
export function scoreShader(format: GpuFormat, hasPackedDot: boolean): string {
  const int8 = format === 'int8';
  const cell = int8 ? 'vec4u' : 'vec4f';
  const sum = int8 ? 'vec4i' : 'vec4f';
  return /* wgsl */ `
struct Step { columns: u32, rows: u32, firstRow: u32, unused: u32 }
@group(0) @binding(0) var<storage, read> rows: array<${cell}>;
@group(0) @binding(1) var<storage, read> queries: array<${cell}>;
@group(0) @binding(2) var<storage, read_write> scores: array<f32>;
@group(0) @binding(3) var<uniform> step: Step;
${
  int8
    ? `@group(0) @binding(4) var<storage, read> rowSteps: array<f32>;
@group(0) @binding(5) var<storage, read> querySteps: array<f32>;`
    : ''
}
var<workgroup> rowTile: array<${cell}, 128>;
var<workgroup> queryTile: array<${cell}, 128>;
${int8 ? (hasPackedDot ? packedDot : plainDot) : 'fn product(a: vec4f, b: vec4f) -> f32 { return dot(a, b); }'}

@compute @workgroup_size(8, 8)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_id) local: vec3u,
        @builtin(local_invocation_index) index: u32) {
  let firstRow = step.firstRow + group.x * 32u;
  let firstQuery = group.y * 32u;
  var sums: array<${sum}, 4>;
  for (var column = 0u; column < step.columns; column += 4u) {
    for (var i = index; i < 128u; i += 64u) {
      rowTile[i] = rows[(firstRow + i / 4u) * step.columns + column + i % 4u];
      queryTile[i] = queries[(firstQuery + i / 4u) * step.columns + column + i % 4u];
    }
    workgroupBarrier();
    for (var c = 0u; c < 4u; c++) {
      let q0 = queryTile[local.x * 16u + c];
      let q1 = queryTile[local.x * 16u + 4u + c];
      let q2 = queryTile[local.x * 16u + 8u + c];
      let q3 = queryTile[local.x * 16u + 12u + c];
      for (var i = 0u; i < 4u; i++) {
        let row = rowTile[(local.y * 4u + i) * 4u + c];
        sums[i] += ${sum}(product(row, q0), product(row, q1), product(row, q2), product(row, q3));
      }
    }
    workgroupBarrier();
  }
  for (var i = 0u; i < 4u; i++) {
    let row = group.x * 32u + local.y * 4u + i;
    for (var j = 0u; j < 4u; j++) {
      let query = firstQuery + local.x * 4u + j;
      scores[query * step.rows + row] = ${
        int8 ? 'f32(sums[i][j]) * (rowSteps[step.firstRow + row] * querySteps[query])' : 'sums[i][j]'
      };
    }
  }
}`;
}

const packedDot = /* wgsl */ `
fn product(a: vec4u, b: vec4u) -> i32 {
  return dot4I8Packed(a.x, b.x) + dot4I8Packed(a.y, b.y) + dot4I8Packed(a.z, b.z) + dot4I8Packed(a.w, b.w);
}`;

const plainDot = /* wgsl */ `
fn codes(word: u32) -> vec4i { return vec4i(i32(word << 24u), i32(word << 16u), i32(word << 8u), i32(word)) >> vec4u(24u); }
fn product(a: vec4u, b: vec4u) -> i32 {
  return dot(codes(a.x), codes(b.x)) + dot(codes(a.y), codes(b.y)) + dot(codes(a.z), codes(b.z)) + dot(codes(a.w), codes(b.w));
}`;

/**
 * A bitonic sort of 1,024 entries, score descending and ties by lowest row. With \`count\` 0 a workgroup sorts a slice of a step's
 * scores and appends the best to its query's list; else it sorts the first \`count\` of the list and leaves the best in front.
 */
export const selectShader = /* wgsl */ `
struct Step { rows: u32, firstRow: u32, take: u32, count: u32 }
@group(0) @binding(0) var<storage, read> scores: array<f32>;
@group(0) @binding(1) var<storage, read> admissible: array<u32>;
@group(0) @binding(2) var<storage, read_write> lists: array<vec2u>;
@group(0) @binding(3) var<uniform> step: Step;

const nothing = 0xffffffffu;
const lowest = -0x1.fffffep+127f;
var<workgroup> sortedScores: array<f32, 1024>;
var<workgroup> sortedRows: array<u32, 1024>;

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) index: u32) {
  let query = group.y;
  let list = query * 1024u;
  for (var i = index; i < 1024u; i += 256u) {
    var score = lowest;
    var number = nothing;
    if (step.count > 0u) {
      if (i < step.count) {
        score = bitcast<f32>(lists[list + i].x);
        number = lists[list + i].y;
      }
    } else {
      let at = group.x * 1024u + i;
      let row = step.firstRow + at;
      if (at < step.rows && ((admissible[row >> 5u] >> (row & 31u)) & 1u) == 1u) {
        score = scores[query * step.rows + at];
        number = row;
      }
    }
    sortedScores[i] = score;
    sortedRows[i] = number;
  }
  for (var size = 2u; size <= 1024u; size *= 2u) {
    for (var stride = size / 2u; stride > 0u; stride /= 2u) {
      workgroupBarrier();
      for (var t = index; t < 512u; t += 256u) {
        let low = 2u * stride * (t / stride) + t % stride;
        let high = low + stride;
        let a = sortedScores[low];
        let b = sortedScores[high];
        let first = sortedRows[low];
        let second = sortedRows[high];
        let inOrder = a > b || (a == b && first < second);
        if (inOrder != ((low & size) == 0u)) {
          sortedScores[low] = b;
          sortedScores[high] = a;
          sortedRows[low] = second;
          sortedRows[high] = first;
        }
      }
    }
  }
  workgroupBarrier();
  let start = select(list + (1u + group.x) * step.take, list, step.count > 0u);
  for (var i = index; i < step.take; i += 256u) {
    lists[start + i] = vec2u(bitcast<u32>(sortedScores[i]), sortedRows[i]);
  }
}`;
