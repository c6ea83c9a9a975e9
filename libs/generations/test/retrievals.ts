import { retrievalStream } from '@palimpsest/knowledge/deciders';
import type { KnowledgeRetrieved, RetrievalRecordData } from '@palimpsest/knowledge/events';
import { generationId, type Position } from '@palimpsest/knowledge/values';
import { LARGE, MINI, SCOPE, type World } from './world.ts';

export type Side = 'canary' | 'active' | 'failed';
/** `empty`: nothing was found. */
export type Answer = Readonly<{ empty?: boolean; latencyMs?: number; agreement?: number; strategy?: string; tenant?: string }>;

let trace = 0;

/** The record of one query of the scope of the world: of a caller in the canary `g2`, of another one, or of one whose canary failed. */
export const retrieval = (side: Side, { empty = false, latencyMs = 10, agreement = 0.5, strategy = 'DenseSparseHybrid' }: Answer = {}) => {
  const [generation, embeddingVersion] = side === 'canary' ? ([generationId('g2'), LARGE] as const) : ([generationId('g1'), MINI] as const);
  const data: RetrievalRecordData = {
    traceId: `t${trace++}`,
    queryHash: 'h',
    queryLength: 1,
    strategy,
    fusion: 'zscore',
    topK: 1,
    filtered: false,
    requestedScopes: [SCOPE.scope],
    permittedScopes: [SCOPE.scope],
    generations: [
      {
        ...{ scope: SCOPE.scope, generation, embeddingVersion, agreement, topStandard: 3 },
        ...(side === 'canary' ? { canary: true as const } : {}),
        ...(side === 'failed' ? { failedCanary: generationId('g2') } : {}),
      },
    ],
    pool: 1,
    stages: [],
    latencyMs,
    hits: empty ? [] : [{ chunkId: 'c'.repeat(32) as never, documentId: 'd'.repeat(32) as never, score: 1 }],
    position: '0',
    retrievedAt: '2026-01-01T00:00:00.000Z',
  };
  return { type: 'KnowledgeRetrieved', data } satisfies KnowledgeRetrieved;
};

/** Appends records, as the recorder does. */
export const recorded = (world: World, records: readonly KnowledgeRetrieved[], tenant = SCOPE.tenant): Promise<Position> =>
  world.journal.appendToEnd(retrievalStream(tenant), records, { tenant, actor: 'key-1', correlationId: 'r' });
