import { z } from 'zod';
import { ROLES } from '@palimpsest/knowledge/access';
import { limitOverrides } from './limit-schemas.ts';
import { wire } from './values.ts';

const chunking = z.object({
  markdown: z.object({ maxChars: wire.ordinal.exactOptional() }),
  tokens: z.object({ maxTokens: wire.ordinal.exactOptional(), overlap: wire.count.exactOptional(), minTokens: wire.count.exactOptional() }),
  sheets: z.object({ maxChars: wire.ordinal.exactOptional() }),
  code: z.object({ maxChars: wire.ordinal.exactOptional(), overlap: wire.count.exactOptional() }),
});

const settings = {
  name: z.string(),
  description: z.string(),
  chunking,
  language: wire.language.exactOptional(),
};

export const knowledgeBaseSchemas = {
  KnowledgeBaseCreated: z.object({
    ...settings,
    id: wire.knowledgeBaseId,
    scope: wire.scope,
    documentIds: z.enum(['keyed', 'plain']),
    createdAt: wire.time,
  }),
  KnowledgeBaseConfigured: z.object({ ...settings, id: wire.knowledgeBaseId, configuredAt: wire.time }),
  KnowledgeBaseArchived: z.object({ id: wire.knowledgeBaseId, archivedAt: wire.time }),
  KnowledgeBasePaused: z.object({ id: wire.knowledgeBaseId, pausedAt: wire.time }),
  KnowledgeBaseResumed: z.object({ id: wire.knowledgeBaseId, resumedAt: wire.time }),
};

/** Also stored by catalogs. */
export const recipeSchema = z.object({
  embedding: z.object({
    version: wire.embeddingVersion,
    pooling: z.string().exactOptional(),
    normalised: z.boolean().exactOptional(),
    queryPrefix: z.string().exactOptional(),
    passagePrefix: z.string().exactOptional(),
    digest: z.string().exactOptional(),
  }),
  chunking: z.object({ settings: z.union([z.literal('knowledge-base'), chunking]), contextual: z.string() }),
  analyser: z.string(),
});

export const scopeSchemas = {
  ScopeOpened: z.object({ scope: wire.scope, openedAt: wire.time }),
  GenerationStarted: z.object({
    scope: wire.scope,
    generation: wire.generationId,
    recipe: recipeSchema,
    startedAt: wire.time,
  }),
  GenerationActivated: z.object({ scope: wire.scope, generation: wire.generationId, activatedAt: wire.time }),
  GenerationRetired: z.object({ scope: wire.scope, generation: wire.generationId, retiredAt: wire.time }),
};

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
  language: wire.language.exactOptional(),
  filtered: z.boolean(),
  knowledgeBases: z.array(wire.knowledgeBaseId).exactOptional(),
  origins: z.array(wire.origin).exactOptional(),
  atLeast: z.string().exactOptional(),
  snippetChars: wire.ordinal.exactOptional(),
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
    }),
  ),
  pool: wire.count,
  topScore: z.number().exactOptional(),
  stages: z.array(z.object({ stage: z.string(), ms: z.number(), candidates: wire.count, note: z.string().exactOptional() })),
  latencyMs: z.number(),
  hits: z.array(z.object({ chunkId: wire.chunkId, documentId: wire.documentId, score: z.number() })),
  position: z.string(),
  retrievedAt: wire.time,
};

export const retrievalSchemas = {
  KnowledgeRetrieved: z.object(trace),
  KnowledgeRetrievalMiss: z.object({ ...trace, floor: z.number() }),
};

export const tenantSchemas = {
  ApiKeyIssued: z.object({
    keyId: z.string(),
    name: z.string(),
    hash: wire.sha256,
    teams: z.array(z.string()),
    user: z.string().exactOptional(),
    roles: z.array(z.enum(ROLES)),
    issuedAt: wire.time,
  }),
  ApiKeyRevoked: z.object({ keyId: z.string(), revokedAt: wire.time }),
  TenantLimitsSet: z.object({ tier: z.string().exactOptional(), overrides: limitOverrides, setAt: wire.time }),
};

export const auditSchemas = {
  AccessRecorded: z.object({
    actor: z.string(),
    user: z.string().exactOptional(),
    teams: z.array(z.string()).exactOptional(),
    method: z.string(),
    operation: z.string(),
    targets: z.array(z.string()),
    status: wire.count,
    problem: z.string().exactOptional(),
    count: wire.ordinal,
    at: wire.time,
    until: wire.time.exactOptional(),
    from: z.string().exactOptional(),
    requestId: z.string(),
    dropped: wire.count.exactOptional(),
  }),
};
