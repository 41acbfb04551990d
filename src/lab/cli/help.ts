export const help = `Measures retrieval, and what evolution does to it, in a real headless Chromium.

  npm run lab -- evaluate --collection DIR --retriever bm25|dense|hybrid [options]
  npm run lab -- evolve   --collection DIR --retriever … --roles ROLES [options]
  npm run lab -- judges   --collection DIR [--judges A,B,…] [options]
  npm run lab -- table FILE.json …
  npm run lab -- results [FOLDER]

judges measures who can tell what a document answers, against the judgements of a collection;
evaluate measures version 0 (the documents' own texts); evolve evolves a fresh index and measures every version;
table prints the results of --json files as one Markdown table; results writes FOLDER.md (docs/results.md) from those of a
folder and its reference.json.

  --collection DIR        a BEIR folder: corpus.jsonl, queries.jsonl (gzip too), qrels.tsv or qrels/test.tsv
  --retriever KIND        bm25 (default), dense or hybrid
  --embedder ID           for dense and hybrid; default all-MiniLM-L6-v2; static:ID for static embeddings (model2vec)
  --dtype q8|fp32|fp16    of the embedder; default q8
  --activations fp32|int8 between int8 weights; default fp32
  --device wasm|webgpu    for the embedder and a model in the browser; default wasm
  --aggregate HOW         max, blend (default) or two numbers W,V: weight of generated keys, boost of the expansion key
  --limit-queries N       measure the first N evaluation queries only
  --run FILE              write a TREC run of the last version (queries with a relevant document, 1000 documents each)
  --json FILE             write the report as JSON
  --verbose               show what the page logs

Only for evolve:
  --roles ROLES           extractive, transformers:MODEL, wllama:FILE.gguf, webllm:ID, prompt-api or openai:URL#MODEL
                          (its key in SELF_INDEX_API_KEY)
  --prompts full|compact  how a language model is asked: nested schemas, or plain lines; default: what is known of it, else a
                          short self-test
  --judge JUDGE           rules, embedder, prompted, claims, roundtrip, or several joined by + (the lowest score counts);
                          default: what suits the roles
  --iterations N          default 1
  --batch B               queries per iteration; default 128
  --depth K               keys retrieved per query, and the bound of specificity; default 30
  --key-budget N          text keys per document, the original included; default 10
  --order gain|paper      default gain
  --queries FILE          JSON lines {"_id", "text"} to learn from, instead of simulated queries
  --minutes M, --calls N, --tokens N     budgets; what passed until then is committed
  --seed S                default 0
  --no-guard              commit whatever passes, without measuring held-out queries
  --no-expansion          without expansion keys
  --prune                 drop kept keys that fail although no new key passes
  --full-verdicts         compute every criterion for every key

Only for judges (also --embedder, --dtype, --device, --seed, --json, --verbose):
  --judges A,B,…          as for --judge, also roundtrip:bm25; default rules,embedder,roundtrip, with a model prompted,claims too
  --model MODEL           a model in the browser, or openai:URL#MODEL, for prompted and claims
  --pairs N               at most, half of them relevant; default 400, 40 where a model is asked

Progress goes to stderr, the table to stdout. Exit code 0: done; 1: failed; 2: not understood; 130: cancelled (Ctrl-C).
`;
