import type { Position } from './documents.ts';

export type StatusView = Readonly<{
  version: string;
  ready: boolean;
  /** `held`: those pending or processing whose knowledge base is paused; they are not in the queue's depth. */
  documents: Readonly<{ pending: number; processing: number; indexed: number; failed: number; total: number; held: number }>;
  chunks: number;
  /** Documents of the tenant that wait; for operators those of the installation, with how many may wait. */
  queue: Readonly<{ depth: number; capacity?: number }>;
  /** For operators only. */
  projections?: readonly Readonly<{ name: string; position: Position; lag: number }>[];
  /** For operators only. */
  log?: Readonly<{ position: Position }>;
  /** For operators only: texts whose vector was known already, and those that a model was asked for, since the process started. */
  embeddings?: Readonly<{ cache: EmbeddingCacheView }>;
  models: Readonly<{ current: string; available: readonly string[] }>;
  scopes: readonly ScopeView[];
}>;

/** `entries`: vectors that are kept now. */
export type EmbeddingCacheView = Readonly<{ hits: number; misses: number; entries: number }>;

export type ScopeView = Readonly<{
  scope: string;
  generations: readonly Readonly<{ generation: string; embeddingVersion: string; status: string }>[];
}>;

export type RebuildResult = Readonly<{
  documents: number;
  chunks: number;
  seconds: number;
  position: Position;
  /** How often the process asked an embedding model meanwhile. Rebuilding asks none; documents that are indexed at the same time do. */
  embeddingCalls: number;
}>;

/** About a chunk, or about a `row` of the catalogue that is none. */
export type Difference = Readonly<{
  store: 'vectors' | 'lexical' | 'catalog';
  kind: 'missing' | 'extra' | 'different';
  chunkId?: string;
  row?: string;
  tenant: string;
  scope: string;
  generation?: string;
}>;

/** What the log says, compared with what lies in the stores. */
export type VerifyResult = Readonly<{
  clean: boolean;
  position: Position;
  /** `withoutVector`: of `chunks`, those that the model refused; they are found by their words alone. */
  partitions: readonly Readonly<{ scope: string; tenant: string; generation: string; chunks: number; withoutVector: number; fingerprint: string }>[];
  /** All that were found; the list may hold only the first ones. */
  differenceCount?: number;
  /** What of the log's own files is not as it was written, in words: then nothing was compared. Missing where the log is a server. */
  logDamage?: readonly string[];
  /** Keys of scopes, and files of keys, that are missing or damaged, a sentence each. With a damaged key of a scope nothing is compared. */
  keyDamage?: readonly string[];
  /** Uploads that are missing or damaged, a sentence each. */
  uploadDamage?: readonly string[];
  differences: readonly Difference[];
}>;

/** `position`: of the event that ended it. */
export type GenerationRetired = Readonly<{ generation: string; position: Position }>;

/** `status` is `active` when the scope has the current model already, and nothing is to be done. */
export type ReembedStarted = Readonly<{
  generation: string;
  embeddingVersion: string;
  status: string;
  position: Position;
  documents: number;
}>;

/** `total`, `done` and `withoutVector` count chunks; `idle` when nothing is being built and searches use the active generation. `withoutVector`: refused by the model, and found by their words alone. */
export type ReembedProgress = Readonly<{
  generation: string;
  embeddingVersion: string;
  status: string;
  state: 'idle' | 'building';
  total: number;
  done: number;
  withoutVector: number;
}>;

export type NewApiKey = Readonly<{
  name: string;
  teams?: readonly string[] | undefined;
  user?: string | undefined;
  roles?: readonly string[] | undefined;
  /** Only an operator may name another tenant. */
  tenant?: string | undefined;
}>;

export type ApiKeyView = Readonly<{
  keyId: string;
  name: string;
  tenant: string;
  teams: readonly string[];
  user?: string;
  roles: readonly string[];
  issuedAt: string;
}>;

/** `key` is shown this once and stored nowhere. */
export type ApiKeyCreated = ApiKeyView & Readonly<{ key: string }>;

/** Work that was given up. `work` names what was to be done: ids, never contents; `key` is `<tenant>/<document or scope>`. */
export type DeadLetterView = Readonly<{
  id: string;
  topic: string;
  group: string;
  key: string;
  work: unknown;
  attempts: number;
  error: string;
  failedAt: string;
}>;

export type DeadLetterQuery = Readonly<{ topic?: string | undefined; limit?: number | undefined }>;

export type ApiKeyList = Readonly<{ keys: readonly ApiKeyView[] }>;
export type DeadLetterList = Readonly<{ deadLetters: readonly DeadLetterView[] }>;

/** It is in its queue again, its attempts counted anew. */
export type DeadLetterQueued = Readonly<{ id: string; status: 'queued' }>;

/** What answers at this address, and where to go on. */
export type Greeting = Readonly<{ name: 'palimpsest'; version: string; openapi: string; health: string; search: string }>;
export type Liveness = Readonly<{ status: 'ok' }>;

/** `ok`: searches give whole answers. `degraded`: they do, but something else does not work, see `reasons`. With 503, why they do not. */
export type Readiness = Readonly<{ status: 'ok' | 'degraded' | 'catching up' | 'projection failing'; reasons?: readonly 'writes-failing'[] }>;
