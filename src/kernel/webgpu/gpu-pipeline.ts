import { segmentRows } from '../layout.ts';
import type { GpuChunk, GpuRows } from './gpu-rows.ts';
import { scoreShader, selectShader, sortSize, tileSize, type GpuFormat } from './shaders.ts';

/** Best rows by the device's scores: per query `take` entries of (score bits, row), rows of 0xffffffff at the end. */
export interface GpuCandidates {
  readonly take: number;
  readonly entries: Uint32Array;
}

/** Queries as the device reads them: padded vectors or codes, in a multiple of 32. */
export interface GpuQueries {
  readonly count: number;
  readonly data: Uint8Array<ArrayBuffer>;
  readonly steps: Float32Array<ArrayBuffer>;
}

/** Most rows scored between two selections. */
const stepRows = 8192;
/** Uniforms of one step, at the alignment that every device accepts. */
const uniformBytes = 256;

/** Compiling takes a while, on some machines seconds: once for a device is enough. */
const compiled = new WeakMap<GPUDevice, Map<string, Promise<GPUComputePipeline>>>();

function compile(device: GPUDevice, code: string): Promise<GPUComputePipeline> {
  const known = compiled.get(device) ?? new Map<string, Promise<GPUComputePipeline>>();
  compiled.set(device, known);
  let pipeline = known.get(code);
  if (!pipeline) {
    const module = device.createShaderModule({ code });
    pipeline = device.createComputePipelineAsync({ layout: 'auto', compute: { module, entryPoint: 'main' } });
    known.set(code, pipeline);
  }
  return pipeline;
}

/** The compiled shaders, and a batch of queries run through them over all rows. */
export class GpuPipeline {
  private constructor(
    private readonly device: GPUDevice,
    private readonly format: GpuFormat,
    private readonly score: GPUComputePipeline,
    private readonly select: GPUComputePipeline,
  ) {}

  static async create(device: GPUDevice, format: GpuFormat, hasPackedDot: boolean): Promise<GpuPipeline> {
    const [score, select] = await Promise.all([
      compile(device, scoreShader(format, hasPackedDot)),
      compile(device, selectShader),
    ]);
    return new GpuPipeline(device, format, score, select);
  }

  /** The best `take` (at most 512) rows of each query. Rejects where the device is lost. */
  async run(
    rows: GpuRows,
    columns: number,
    queries: GpuQueries,
    take: number,
    mask: Uint32Array<ArrayBuffer>,
  ): Promise<GpuCandidates> {
    const slicesPerStep = Math.min(stepRows / sortSize, Math.floor(sortSize / take) - 1);
    const padded = queries.steps.length;
    const listBytes = padded * sortSize * 8;
    const made: GPUBuffer[] = [];
    const buffer = (size: number, usage: number, data?: BufferSource) => {
      const created = this.device.createBuffer({
        size: Math.max(16, size),
        usage: usage | GPUBufferUsage.COPY_DST,
      });
      if (data) this.device.queue.writeBuffer(created, 0, data);
      made.push(created);
      return created;
    };
    const { STORAGE, COPY_SRC, MAP_READ } = GPUBufferUsage;
    const shared: Shared = {
      columns,
      take,
      padded,
      queries: buffer(queries.data.byteLength, STORAGE, queries.data),
      querySteps: buffer(queries.steps.byteLength, STORAGE, queries.steps),
      scores: buffer(padded * slicesPerStep * sortSize * 4, STORAGE),
      mask: buffer(mask.byteLength, STORAGE, mask),
      lists: buffer(listBytes, STORAGE | COPY_SRC, new Uint32Array(listBytes / 4).fill(0xffffffff)),
      uniforms: (data) => buffer(data.byteLength, GPUBufferUsage.UNIFORM, data),
    };
    const back = buffer(listBytes, MAP_READ);
    try {
      const last = Math.ceil(mask.length / (segmentRows / 32)) * segmentRows;
      for (const chunk of rows.chunks) {
        const end = Math.min(chunk.firstRow + chunk.rows, last);
        this.device.queue.submit([this.encode(chunk, end, slicesPerStep * sortSize, shared)]);
      }
      const encoder = this.device.createCommandEncoder();
      encoder.copyBufferToBuffer(shared.lists, 0, back, 0, listBytes);
      this.device.queue.submit([encoder.finish()]);
      await back.mapAsync(GPUMapMode.READ);
      const lists = new Uint32Array(back.getMappedRange());
      const entries = new Uint32Array(queries.count * take * 2);
      for (let q = 0; q < queries.count; q++) {
        entries.set(lists.subarray(q * sortSize * 2, q * sortSize * 2 + take * 2), q * take * 2);
      }
      return { take, entries };
    } finally {
      for (const created of made) created.destroy();
    }
  }

  /** Scores, selects and reduces one chunk, step by step. */
  private encode(chunk: GpuChunk, end: number, rowsPerStep: number, shared: Shared): GPUCommandBuffer {
    const steps: { first: number; rows: number }[] = [];
    for (let first = chunk.firstRow; first < end; first += rowsPerStep) {
      steps.push({ first, rows: Math.min(rowsPerStep, end - first) });
    }
    const { take, padded } = shared;
    const words = new Uint32Array((steps.length * 3 * uniformBytes) / 4);
    steps.forEach(({ first, rows }, i) => {
      const count = take * (1 + Math.ceil(rows / sortSize));
      words.set([shared.columns, rows, first - chunk.firstRow], (3 * i * uniformBytes) / 4);
      words.set([rows, first, take, 0], ((3 * i + 1) * uniformBytes) / 4);
      words.set([rows, first, take, count], ((3 * i + 2) * uniformBytes) / 4);
    });
    const uniforms = shared.uniforms(words);
    const encoder = this.device.createCommandEncoder();
    steps.forEach(({ rows }, i) => {
      const uniform = (part: number) => ({
        buffer: uniforms,
        offset: (3 * i + part) * uniformBytes,
        size: 16,
      });
      const scored = [chunk.vectors, shared.queries, shared.scores, uniform(0)];
      if (this.format === 'int8') scored.push(chunk.steps, shared.querySteps);
      this.dispatch(encoder, this.score, scored, rows / tileSize, padded / tileSize);
      const lists = [shared.scores, shared.mask, shared.lists];
      this.dispatch(encoder, this.select, [...lists, uniform(1)], Math.ceil(rows / sortSize), padded);
      this.dispatch(encoder, this.select, [...lists, uniform(2)], 1, padded);
    });
    return encoder.finish();
  }

  private dispatch(
    encoder: GPUCommandEncoder,
    pipeline: GPUComputePipeline,
    bindings: readonly (GPUBuffer | GPUBufferBinding)[],
    x: number,
    y: number,
  ): void {
    const pass = encoder.beginComputePass();
    pass.setPipeline(pipeline);
    pass.setBindGroup(
      0,
      this.device.createBindGroup({
        layout: pipeline.getBindGroupLayout(0),
        entries: bindings.map((bound, binding) => ({
          binding,
          resource: 'buffer' in bound ? bound : { buffer: bound },
        })),
      }),
    );
    pass.dispatchWorkgroups(x, y);
    pass.end();
  }
}

interface Shared {
  readonly columns: number;
  readonly take: number;
  /** Queries, rounded up to a multiple of 32. */
  readonly padded: number;
  readonly queries: GPUBuffer;
  readonly querySteps: GPUBuffer;
  readonly scores: GPUBuffer;
  readonly mask: GPUBuffer;
  readonly lists: GPUBuffer;
  readonly uniforms: (data: Uint32Array<ArrayBuffer>) => GPUBuffer;
}
