import type { Position } from './documents.ts';

export type StatusView = Readonly<{
  version: string;
  ready: boolean;
  /** `held`: pending or processing documents whose knowledge base is paused. The queue depth does not include them. */
  documents: Readonly<{ pending: number; processing: number; indexed: number; failed: number; total: number; held: number }>;
  chunks: number;
  /** Sums over all documents; see `DocumentView`. */
  failedChunks: number;
  withoutVector: number;
  /** `depth`: waiting documents of the tenant; for operators, of the installation. `capacity`: how many may wait (operators only). */
  queue: Readonly<{ depth: number; capacity?: number }>;
  /** For operators only. */
  projections?: readonly Readonly<{ name: string; position: Position; lag: number }>[];
  /** For operators only. */
  log?: Readonly<{ position: Position }>;
  /** For operators only: cache hits and misses of embeddings since the process started. A miss calls the model. */
  embeddings?: Readonly<{ cache: EmbeddingCacheView }>;
  models: Readonly<{ current: string; available: readonly string[] }>;
  scopes: readonly ScopeView[];
}>;

/** `entries`: number of cached vectors. */
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
  /**
   * Calls of the embedding model by this process during the rebuild. The rebuild makes none; documents that are indexed at the same time
   * do.
   */
  embeddingCalls: number;
}>;

/** A difference in a chunk, or in another `row` of the catalog. */
export type Difference = Readonly<{
  store: 'vectors' | 'lexical' | 'catalog';
  kind: 'missing' | 'extra' | 'different';
  chunkId?: string;
  row?: string;
  tenant: string;
  scope: string;
  generation?: string;
}>;

/** Result of comparing the stores with the log. */
export type VerifyResult = Readonly<{
  clean: boolean;
  position: Position;
  /** `withoutVector`: how many of the `chunks` the model refused; only lexical search finds them. */
  partitions: readonly Readonly<{ scope: string; tenant: string; generation: string; chunks: number; withoutVector: number; fingerprint: string }>[];
  /** Number of all differences. The list may hold only the first ones. */
  differenceCount?: number;
  /** Damage in the files of the log, one sentence each. If there is any, nothing was compared. Missing if the log is a server. */
  logDamage?: readonly string[];
  /** Missing or damaged scope keys and key files, one sentence each. If a scope key is damaged, nothing was compared. */
  keyDamage?: readonly string[];
  /** Missing or damaged uploads, one sentence each. */
  uploadDamage?: readonly string[];
  differences: readonly Difference[];
}>;

/** `position`: position of the event that retired the generation. */
export type GenerationRetired = Readonly<{ generation: string; position: Position }>;

/** `status` is `active` if the scope already uses the current model and there is nothing to do. */
export type ReembedStarted = Readonly<{
  generation: string;
  embeddingVersion: string;
  status: string;
  position: Position;
  documents: number;
}>;

/**
 * `total`, `done` and `withoutVector` count chunks. `idle`: nothing is being built, and searches use the active generation.
 * `withoutVector`: chunks that the model refused; only lexical search finds them.
 */
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

/** `key` is the secret. It is shown only once and is not stored. */
export type ApiKeyCreated = ApiKeyView & Readonly<{ key: string }>;

/** A failed job. `work` describes the job with ids, never contents. `key` is `<tenant>/<document or scope>`. */
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

/** The message is back in its queue, and its attempts are reset. */
export type DeadLetterQueued = Readonly<{ id: string; status: 'queued' }>;

/** The name and version of the server, with links to its main resources. */
export type Greeting = Readonly<{ name: 'palimpsest'; version: string; openapi: string; health: string; search: string }>;
export type Liveness = Readonly<{ status: 'ok' }>;

/**
 * `ok`: searches return complete results. `degraded`: they do, but something else fails; see `reasons`. With 503: why searches are not
 * available.
 */
export type Readiness = Readonly<{ status: 'ok' | 'degraded' | 'catching up' | 'projection failing'; reasons?: readonly 'writes-failing'[] }>;
