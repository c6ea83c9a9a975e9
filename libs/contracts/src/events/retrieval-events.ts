import { z } from 'zod';
import type { RetrievalEvent } from '@palimpsest/knowledge/events';
import type { WireEvents } from '../event-codec.ts';
import { arrangement } from '../schemas/arrangement.ts';
import { REWRITINGS } from '../schemas/rewriting.ts';
import { wire } from '../schemas/values.ts';
import { recipeSchema } from './recipe-schema.ts';
import { sealedSince2 } from './upcasters.ts';

const trace = {
  traceId: z.string(),
  queryHash: z.string(),
  keyScope: wire.scope.exactOptional(),
  sealedRequest: wire.base64.exactOptional(),
  queryLength: wire.count,
  strategy: z.string(),
  fusion: z.string(),
  topK: wire.ordinal,
  minScore: z.number().exactOptional(),
  minRelevance: z.number().exactOptional(),
  language: wire.language.exactOptional(),
  filtered: z.boolean(),
  knowledgeBases: z.array(wire.knowledgeBaseId).exactOptional(),
  origins: z.array(wire.origin).exactOptional(),
  atLeast: z.string().exactOptional(),
  snippetChars: wire.ordinal.exactOptional(),
  termsHash: z.string().exactOptional(),
  spelling: z.literal(true).exactOptional(),
  arrangement: z.object(arrangement).exactOptional(),
  limits: z.object({ candidates: wire.ordinal, missFloor: z.number() }).exactOptional(),
  runtime: z.object({ palimpsest: z.string(), node: z.string(), platform: z.string(), analyser: z.string() }).exactOptional(),
  requestedScopes: z.array(wire.scope),
  permittedScopes: z.array(wire.scope),
  generations: z.array(
    z.object({
      scope: wire.scope,
      generation: wire.generationId,
      embeddingVersion: wire.embeddingVersion,
      recipe: recipeSchema.exactOptional(),
      denseWeight: z.number().exactOptional(),
      canary: z.literal(true).exactOptional(),
      failedCanary: wire.generationId.exactOptional(),
      topStandard: z.number().exactOptional(),
      agreement: z.number().exactOptional(),
    }),
  ),
  pool: wire.count,
  rewriting: z
    .object({ by: z.enum(REWRITINGS), model: z.string(), outcome: z.enum(['rewritten', 'skipped']), reason: z.string().exactOptional() })
    .exactOptional(),
  reranking: z
    .object({
      reranker: z.string(),
      outcome: z.enum(['blended', 'abstained', 'skipped']),
      candidates: wire.count,
      unscored: wire.count.exactOptional(),
      weight: z.number(),
      reason: z.string().exactOptional(),
    })
    .exactOptional(),
  topScore: z.number().exactOptional(),
  stages: z.array(z.object({ stage: z.string(), ms: z.number(), candidates: wire.count, note: z.string().exactOptional() })),
  latencyMs: z.number(),
  hits: z.array(z.object({ chunkId: wire.chunkId, documentId: wire.documentId, score: z.number() })),
  position: z.string(),
  retrievedAt: wire.time,
};

/** Several scopes can be searched at once: a record seals what concerns content itself, under the key of `keyScope`. */
export const retrievalEvents: WireEvents<RetrievalEvent> = {
  KnowledgeRetrieved: { schema: z.object(trace), upcasters: sealedSince2 },
  KnowledgeRetrievalMiss: { schema: z.object({ ...trace, floor: z.number() }), upcasters: sealedSince2 },
};
