/** The public API and nothing else. */
export { SelfIndexError, isAbort, type ErrorCode, type ErrorDetails } from './base/errors.ts';
export type { Document, DocumentSource, Range, Snippet } from './corpus/types.ts';
export type {
  Diagnosis,
  EvolutionQuery,
  GuardReport,
  IndexKey,
  IndexVersion,
  IterationSummary,
  KeyKind,
  KeyOrigin,
  KeyRecord,
  Revision,
  Usage,
  Verdict,
} from './keys/types.ts';
export type { Aggregate, ComponentScore, DocumentHit, Retriever, RetrieverKind } from './retrieve/types.ts';
export type {
  DeviceReport,
  Embedder,
  EmbedderSpec,
  Fingerprint,
  RefusedDevice,
  StaticSpec,
} from './embed/types.ts';
export type { LanguageModel } from './backbone/types.ts';
export type { Diagnoser, Judge, Reviser, Roles, Simulator } from './roles/types.ts';
export type { IndexStore } from './store/types.ts';
export type {
  Budget,
  ConnectedIndex,
  EmbeddingStatus,
  EngineSpec,
  EvolveEvent,
  EvolveOptions,
  IndexSettings,
  KeyHistory,
  RolesChoice,
  SearchOptions,
  SearchResult,
  SelfIndex,
  Teaching,
} from './evolve/types.ts';

export { importIndex, openIndex, type OpenOptions } from './evolve/open-index.ts';
export { connectEngine } from './evolve/remote/connect-engine.ts';
export type { WorkerFactory } from './evolve/remote/model-workers.ts';
export { createMemoryStore } from './store/memory.ts';
export { openIndexedDbStore } from './store/indexeddb.ts';
export { extractiveRoles } from './roles/extractive/roles.ts';
export { promptedRoles } from './roles/prompted/roles.ts';
export { combineRoles, sameModel, whoJudges, type WhoJudges } from './roles/mixed.ts';
export { createRuleJudge } from './roles/extractive/judge.ts';
export { calibrateEmbedderJudge, createEmbedderJudge } from './roles/judges/embedder-judge.ts';
export { createRoundtripJudge, type SecondRetriever } from './roles/judges/roundtrip-judge.ts';
export {
  calibrateCrossEncoder,
  createCrossEncoderJudge,
  createNliJudge,
} from './roles/judges/pair-judges.ts';
export type { PairScorer } from './embed/pair-scorer.ts';
export { connectPairScorer } from './embed/worker-scorer.ts';
export { combineJudges } from './roles/judges/combined-judge.ts';
export { claimsJudge, promptedJudge } from './roles/prompted/judges.ts';
export { createOpenAiModel } from './backbone/openai-model.ts';
