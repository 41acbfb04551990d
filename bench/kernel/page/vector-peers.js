// Peers of the vector search, each behind one interface: load(rows, dimensions) builds an index, search gives row numbers. Plain
// JavaScript: their packages are installed only where the benchmark runs (bench/package.json).

const list = (rows) => rows.map((row) => Array.from(row));

/** Every peer's scores are of unit vectors, so inner product, cosine and distance rank alike. */
export const vectorPeers = {
  voy: {
    kind: 'exact',
    async load(rows) {
      const module = await import('voy-search/voy_search_bg.js');
      const { default: url } = await import('voy-search/voy_search_bg.wasm?url');
      const { instance } = await WebAssembly.instantiateStreaming(fetch(url), {
        './voy_search_bg.js': module,
      });
      module.__wbg_set_wasm(instance.exports);
      const embeddings = rows.map((row, i) => ({
        id: String(i),
        title: '',
        url: '',
        embeddings: Array.from(row),
      }));
      const index = new module.Voy({ embeddings });
      return (query, k) => index.search(query, k).neighbors.map(({ id }) => Number(id));
    },
  },
  'hnswlib-wasm ef 64': {
    kind: 'hnsw',
    async load(rows, dimensions) {
      const { loadHnswlib } = await import('hnswlib-wasm');
      const library = await loadHnswlib();
      const index = new library.HierarchicalNSW('ip', dimensions, '');
      index.initIndex(rows.length, 16, 200, 1);
      const labels = rows.map((_, i) => i);
      for (let i = 0; i < rows.length; i += 1000)
        index.addPoints(list(rows.slice(i, i + 1000)), labels.slice(i, i + 1000), false);
      index.setEfSearch(64);
      return (query, k) => index.searchKnn(query, k, undefined).neighbors;
    },
  },
  'hnswlib-wasm brute force': {
    kind: 'exact',
    async load(rows, dimensions) {
      const { loadHnswlib } = await import('hnswlib-wasm');
      const library = await loadHnswlib();
      const index = new library.BruteforceSearch('ip', dimensions);
      index.initIndex(rows.length);
      rows.forEach((row, i) => index.addPoint(row, i));
      return (query, k) => index.searchKnn(query, k, undefined).neighbors;
    },
  },
  'EdgeVec HNSW': {
    kind: 'hnsw',
    async load(rows, dimensions) {
      const { default: init, EdgeVec, EdgeVecConfig } = await import('edgevec');
      await init();
      const index = new EdgeVec(new EdgeVecConfig(dimensions));
      const ids = new Map(rows.map((row, i) => [index.insert(row), i]));
      return (query, k) => Array.from(index.search(query, k), ({ id }) => ids.get(id));
    },
  },
  'MeMemo HNSW': {
    kind: 'hnsw',
    async load(rows) {
      const { HNSW } = await import('mememo');
      const index = new HNSW({ distanceFunction: 'cosine-normalized', seed: 1, useIndexedDB: false });
      await index.bulkInsert(
        rows.map((_, i) => String(i)),
        list(rows),
      );
      return async (query, k) => (await index.query(Array.from(query), k)).keys.map(Number);
    },
  },
  'Orama vectors': {
    kind: 'exact',
    async load(rows, dimensions) {
      const { create, insertMultiple, searchVector } = await import('@orama/orama');
      const index = create({ schema: { vector: `vector[${dimensions}]` } });
      await insertMultiple(
        index,
        rows.map((row, i) => ({ id: String(i), vector: Array.from(row) })),
      );
      return async (query, k) => {
        const found = await searchVector(index, {
          mode: 'vector',
          vector: { value: Array.from(query), property: 'vector' },
          similarity: -1,
          limit: k,
        });
        return found.hits.map(({ id }) => Number(id));
      };
    },
  },
  'client-vector-search': {
    kind: 'exact',
    async load(rows) {
      const { EmbeddingIndex } = await import('client-vector-search');
      const index = new EmbeddingIndex(rows.map((row, id) => ({ id, embedding: Array.from(row) })));
      return async (query, k) =>
        (await index.search(Array.from(query), { topK: k })).map(({ object }) => object.id);
    },
  },
  vectra: {
    kind: 'exact',
    async load(rows) {
      const { Buffer } = await import('buffer/index.js');
      globalThis.Buffer ??= Buffer;
      const { LocalIndex, VirtualFileStorage } = await import('vectra/browser');
      const index = new LocalIndex('bench', undefined, new VirtualFileStorage());
      await index.createIndex({ version: 1, deleteIfExists: true });
      await index.batchInsertItems(
        rows.map((row, i) => ({ id: String(i), vector: Array.from(row), metadata: {} })),
      );
      return async (query, k) =>
        (await index.queryItems(Array.from(query), '', k)).map(({ item }) => Number(item.id));
    },
  },
  'sqlite-vec': {
    kind: 'exact',
    async load(rows, dimensions) {
      const { default: init } = await import('sqlite-vec-wasm-demo');
      const sqlite = await init();
      const database = new sqlite.oo1.DB(':memory:');
      database.exec(`create virtual table keys using vec0(vector float[${dimensions}])`);
      database.exec('begin');
      const insert = database.prepare('insert into keys(rowid, vector) values (?, ?)');
      const bytes = (row) => new Uint8Array(row.buffer, row.byteOffset, row.byteLength).slice();
      rows.forEach((row, i) =>
        insert
          .bind(1, BigInt(i + 1))
          .bind(2, bytes(row))
          .stepReset(),
      );
      insert.finalize();
      database.exec('commit');
      const select = database.prepare(
        'select rowid from keys where vector match ? and k = ? order by distance',
      );
      return (query, k) => {
        const found = [];
        select.bind(1, bytes(query)).bind(2, k);
        while (select.step()) found.push(Number(select.get(0)) - 1);
        select.reset();
        return found;
      };
    },
  },
  'PGlite pgvector': {
    kind: 'exact',
    async load(rows, dimensions) {
      const { PGlite } = await import('@electric-sql/pglite');
      const { vector } = await import('@electric-sql/pglite-pgvector');
      const database = await PGlite.create({ extensions: { vector } });
      await database.exec(
        `create extension vector; create table keys (id int primary key, vector vector(${dimensions}))`,
      );
      for (let i = 0; i < rows.length; i += 500) {
        const values = rows.slice(i, i + 500).map((row, j) => `(${i + j}, '[${Array.from(row).join(',')}]')`);
        await database.exec(`insert into keys values ${values.join(',')}`);
      }
      return async (query, k) => {
        const found = await database.query('select id from keys order by vector <#> $1 limit $2', [
          `[${Array.from(query).join(',')}]`,
          k,
        ]);
        return found.rows.map(({ id }) => id);
      };
    },
  },
};

/** Those of kernel.md that do not run in a browser, and why. */
export const notRun = {
  ruvector: 'a native addon for Node',
  usearch: 'a native addon for Node',
};
