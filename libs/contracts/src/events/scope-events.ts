import { z } from 'zod';
import { CUTOVERS } from '@palimpsest/knowledge/evaluation';
import type { ScopeEvent } from '@palimpsest/knowledge/events';
import type { Json } from '@palimpsest/knowledge/ports';
import { MAX_DOCUMENT_RANGES } from '@palimpsest/knowledge/deciders';
import { KNOWLEDGE_BASE_CHUNKING, UNKNOWN_ANALYSER } from '@palimpsest/knowledge/values';
import type { Upcaster, WireEvents } from '../event-codec.ts';
import { wire } from '../schemas/values.ts';
import { canaryEndedSchema, canaryStartedSchema } from './canary-schema.ts';
import { evaluationSchema, queryWindow } from './evaluation-schema.ts';
import { planApprovedSchema, planSchema } from './plan-schema.ts';
import { recipeSchema } from './recipe-schema.ts';
import { ERASED } from './upcasters.ts';

const withRecipe: Upcaster = ({ embeddingVersion = null, ...data }) => ({
  ...data,
  recipe: { embedding: { version: embeddingVersion }, chunking: { ...KNOWLEDGE_BASE_CHUNKING } as Json, analyser: UNKNOWN_ANALYSER },
});

const rangeCount = wire.count.min(1).max(MAX_DOCUMENT_RANGES).exactOptional();

export const scopeEvents: WireEvents<ScopeEvent> = {
  ScopeOpened: { schema: z.object({ scope: wire.scope, openedAt: wire.time }) },
  SwapPlanned: { schema: planSchema, sealed: { knowledgeBases: [] } },
  SwapPlanApproved: { schema: planApprovedSchema },
  GenerationStarted: {
    schema: z.object({
      scope: wire.scope,
      generation: wire.generationId,
      recipe: recipeSchema,
      startedAt: wire.time,
      cutover: z.enum(CUTOVERS).exactOptional(),
      pastQueries: queryWindow.exactOptional(),
      plan: wire.planId.exactOptional(),
      ranges: rangeCount,
    }),
    upcasters: [withRecipe],
  },
  GenerationRangeEmbedded: {
    schema: z.object({
      scope: wire.scope,
      generation: wire.generationId,
      range: wire.count.max(MAX_DOCUMENT_RANGES - 1),
      chunks: wire.count,
      withoutVector: wire.count,
      tokens: wire.count,
      embeddedAt: wire.time,
    }),
  },
  GenerationBuilt: {
    schema: z.object({
      scope: wire.scope,
      generation: wire.generationId,
      chunks: wire.count,
      withoutVector: wire.count,
      upTo: z.string().regex(/^[0-9]{1,20}$/),
      builtAt: wire.time,
      companion: z.literal(true).exactOptional(),
    }),
  },
  GenerationPaused: {
    schema: z.object({
      scope: wire.scope,
      generation: wire.generationId,
      reason: z.string(),
      by: z.enum(['person', 'platform']),
      pausedAt: wire.time,
    }),
  },
  GenerationResumed: { schema: z.object({ scope: wire.scope, generation: wire.generationId, resumedAt: wire.time, ranges: rangeCount }) },
  GenerationEvaluated: {
    schema: evaluationSchema,
    sealed: { queries: [], sets: [], refused: [], unexplained: [], mismatched: [], missingDocuments: [], pastQueries: undefined },
  },
  CanaryStarted: { schema: canaryStartedSchema },
  CanaryEnded: { schema: canaryEndedSchema },
  GenerationActivated: {
    schema: z.object({
      scope: wire.scope,
      generation: wire.generationId,
      activatedAt: wire.time,
      forced: z.string().exactOptional(),
    }),
  },
  GenerationRetired: { schema: z.object({ scope: wire.scope, generation: wire.generationId, retiredAt: wire.time }) },
  ScopeHeld: { schema: z.object({ scope: wire.scope, reason: z.string(), heldAt: wire.time }), sealed: { reason: ERASED } },
  ScopeReleased: { schema: z.object({ scope: wire.scope, releasedAt: wire.time }) },
  ScopeErasureRequested: { schema: z.object({ scope: wire.scope, erasure: z.uuid(), requestedAt: wire.time }) },
  ScopeErased: { schema: z.object({ scope: wire.scope, erasure: z.uuid(), erasedAt: wire.time }) },
  ScopeErasureCompleted: {
    schema: z.object({ scope: wire.scope, erasure: z.uuid(), receipt: z.string(), completedAt: wire.time }),
  },
};
