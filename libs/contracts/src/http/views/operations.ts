import { z } from 'zod';
import { list, part, view } from '../view.ts';
import { position } from './documents.ts';

const embeddingCacheView = view(
  'EmbeddingCacheView',
  { hits: z.number(), misses: z.number(), entries: z.number() },
  '`entries`: number of cached vectors.',
);
export type EmbeddingCacheView = z.infer<typeof embeddingCacheView>;

const scopeView = view('ScopeView', {
  scope: z.string(),
  generations: list(
    part({ generation: z.string(), embeddingVersion: z.string(), status: z.string(), modelMissing: z.literal(true).exactOptional() }),
  ).describe('`modelMissing`: the model is not configured here. The scope of an active generation is then searched by words only.'),
});
export type ScopeView = z.infer<typeof scopeView>;

export const statusView = view('StatusView', {
  version: z.string(),
  ready: z.boolean(),
  documents: part({
    pending: z.number(),
    processing: z.number(),
    indexed: z.number(),
    failed: z.number(),
    total: z.number(),
    held: z.number(),
  }).describe('`held`: pending or processing documents whose knowledge base is paused. The queue depth does not include them.'),
  chunks: z.number(),
  failedChunks: z.number().describe('Sums over all documents; see `DocumentView`.'),
  withoutVector: z.number(),
  queue: part({ depth: z.number(), capacity: z.number().exactOptional() }).describe(
    '`depth`: waiting documents of the tenant; for operators, of the installation. `capacity`: how many may wait (operators only).',
  ),
  projections: list(part({ name: z.string(), position, lag: z.number() }))
    .describe('For operators only.')
    .exactOptional(),
  log: part({ position }).describe('For operators only.').exactOptional(),
  embeddings: part({ cache: embeddingCacheView })
    .describe('For operators only: cache hits and misses of embeddings since the process started. A miss calls the model.')
    .exactOptional(),
  models: part({ current: z.string(), available: list(z.string()) }),
  scopes: list(scopeView),
});
export type StatusView = z.infer<typeof statusView>;

export const rebuildResult = view('RebuildResult', {
  documents: z.number(),
  chunks: z.number(),
  seconds: z.number(),
  position,
  embeddingCalls: z
    .number()
    .describe(
      'Calls of the embedding model by this process during the rebuild. The rebuild makes none; documents that are indexed at the same time do.',
    ),
});
export type RebuildResult = z.infer<typeof rebuildResult>;

export const generationRetired = view(
  'GenerationRetired',
  { generation: z.string(), position },
  '`position`: position of the event that retired the generation.',
);
export type GenerationRetired = z.infer<typeof generationRetired>;

export const reembedStarted = view(
  'ReembedStarted',
  {
    generation: z.string(),
    embeddingVersion: z.string(),
    status: z.string(),
    position,
    documents: z.number(),
  },
  '`status` is `active` if the scope already uses the current model and there is nothing to do.',
);
export type ReembedStarted = z.infer<typeof reembedStarted>;

export const reembedProgress = view(
  'ReembedProgress',
  {
    generation: z.string(),
    embeddingVersion: z.string(),
    status: z.string(),
    state: z.enum(['idle', 'building']),
    total: z.number(),
    done: z.number(),
    withoutVector: z.number(),
  },
  '`total`, `done` and `withoutVector` count chunks. `idle`: nothing is being built, and searches use the active generation. `withoutVector`: chunks that the model refused; only lexical search finds them.',
);
export type ReembedProgress = z.infer<typeof reembedProgress>;
