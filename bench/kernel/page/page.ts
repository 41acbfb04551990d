import { chooseBuild } from '../../../src/kernel/self-test.ts';
import { against, peerNames } from './against.ts';
import { lexical } from './lexical.ts';
import { compact, large, threads } from './million.ts';
import { operations, search } from './sections.ts';

/** What the benchmark calls from outside, each on a page of its own where memory counts. */
const api = { search, operations, large, threads, compact, against, peerNames, lexical, choice: chooseBuild };
export type BenchPage = typeof api;

declare global {
  interface Window {
    bench?: BenchPage;
  }
}

window.bench = api;
