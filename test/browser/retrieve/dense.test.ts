import { expect, it } from 'vitest';
import { createRandom } from '../../../src/base/random.ts';
import { makeGeneratedKey, makeOriginalKey } from '../../../src/keys/key-id.ts';
import { createKernel } from '../../../src/kernel/create.ts';
import { createReferenceKernel } from '../../../src/kernel/reference.ts';
import { WasmKernel } from '../../../src/kernel/wasm-kernel.ts';
import { DenseRetriever, type MakeKernel } from '../../../src/retrieve/dense/dense-retriever.ts';
import { wordEmbedder } from '../../unit/retrieve/word-embedder.ts';

const random = createRandom('dense in a browser');
const words = 'river warm cold cat fish wind sleep swim stone light bread knife salt rain hill'.split(' ');
const phrase = (length: number) =>
  Array.from({ length }, () => words[random.integer(words.length)]).join(' ');

const originals = Array.from({ length: 300 }, (_, i) => makeOriginalKey({ id: `d${i}`, text: phrase(9) }));
const generated = Array.from({ length: 200 }, (_, i) =>
  makeGeneratedKey(`d${i % 90}`, { text: `${phrase(4)} ${i}`, form: 'question' }, { by: 'reviser' }),
);
const queries = Array.from({ length: 40 }, () => phrase(3));

/** All that an evolution and a search ask of a retriever. */
async function answers(makeKernel?: MakeKernel) {
  const retriever = await DenseRetriever.create(originals, { embedder: wordEmbedder(), makeKernel });
  await retriever.update({ added: generated, removed: originals.slice(280) });
  const lists = [generated.slice(0, 50), generated.slice(40, 45), []].map((keys) => keys.map(({ id }) => id));
  const found = {
    keys: await retriever.topKeys(queries, 30),
    documents: await Promise.all(queries.map((query) => retriever.rank(query, 20))),
    separation: await retriever.maxRelevance(
      queries.map((query, i) => ({ query, keyIds: lists[Math.floor(i / 7) % 3] })),
    ),
    rivals: await retriever.rivals(queries.map((query, i) => ({ query, documentId: `d${i}` }))),
  };
  await retriever.dispose();
  return found;
}

it('dense retrieval takes the kernel of WebAssembly, and finds with it what it finds with the reference', async () => {
  expect(await createKernel(32)).toBeInstanceOf(WasmKernel);
  expect(await answers()).toEqual(await answers(createReferenceKernel));
});
