// Peers of BM25, each behind one interface: load(texts) gives a search for numbers of texts and the serialised form. Plain JavaScript:
// their packages are installed only where the benchmark runs (bench/package.json).

export const lexicalPeers = {
  FlexSearch: async (texts) => {
    const { Index } = await import('flexsearch');
    const index = new Index({ tokenize: 'strict' });
    texts.forEach((text, i) => index.add(i, text));
    return {
      search: (query, limit) => index.search(query, { limit, suggest: true }),
      serialise: async () => {
        let bytes = 0;
        await index.export((_, data) => (bytes += data?.length ?? 0));
        return bytes;
      },
    };
  },
  MiniSearch: async (texts) => {
    const { default: MiniSearch } = await import('minisearch');
    const index = new MiniSearch({ fields: ['text'] });
    index.addAll(texts.map((text, id) => ({ id, text })));
    return {
      search: (query, limit) =>
        index
          .search(query)
          .slice(0, limit)
          .map(({ id }) => id),
      serialise: () => JSON.stringify(index).length,
    };
  },
  Lunr: async (texts) => {
    const { default: lunr } = await import('lunr');
    const index = lunr(function () {
      this.ref('id');
      this.field('text');
      texts.forEach((text, id) => this.add({ id, text }));
    });
    return {
      search: (query, limit) =>
        index
          .query((builder) => lunr.tokenizer(query).forEach((token) => builder.term(token.toString())))
          .slice(0, limit)
          .map(({ ref }) => Number(ref)),
      serialise: () => JSON.stringify(index).length,
    };
  },
  'wink-bm25': async (texts) => {
    const { default: bm25 } = await import('wink-bm25-text-search');
    const { default: nlp } = await import('wink-nlp-utils');
    const index = bm25();
    index.defineConfig({ fldWeights: { text: 1 } });
    index.definePrepTasks([
      nlp.string.lowerCase,
      nlp.string.tokenize0,
      nlp.tokens.removeWords,
      nlp.tokens.stem,
    ]);
    texts.forEach((text, i) => index.addDoc({ text }, i));
    index.consolidate();
    return {
      search: (query, limit) => index.search(query, limit).map(([id]) => Number(id)),
      serialise: () => index.exportJSON().length,
    };
  },
  Orama: async (texts) => {
    const { create, insertMultiple, save, search } = await import('@orama/orama');
    const index = create({ schema: { text: 'string' } });
    await insertMultiple(
      index,
      texts.map((text, i) => ({ id: String(i), text })),
    );
    return {
      search: async (query, limit) =>
        (await search(index, { term: query, limit })).hits.map(({ id }) => Number(id)),
      serialise: () => JSON.stringify(save(index)).length,
    };
  },
};
