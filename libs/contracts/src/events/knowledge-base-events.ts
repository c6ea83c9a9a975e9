import { z } from 'zod';
import type { KnowledgeBaseEvent } from '@palimpsest/knowledge/events';
import type { WireEvents } from '../event-codec.ts';
import { wire } from '../schemas/values.ts';
import { chunkingSchema } from './recipe-schema.ts';
import { strategyEvaluationSchema, strategySetSchema } from './strategy-schema.ts';
import { adding, ERASED, sealedSince2 } from './upcasters.ts';

const settings = {
  name: z.string(),
  description: z.string(),
  chunking: chunkingSchema,
  language: wire.language.exactOptional(),
  historyDays: wire.ordinal.exactOptional(),
  fields: wire.fields.exactOptional(),
  synonyms: wire.synonyms.exactOptional(),
};

export const knowledgeBaseEvents: WireEvents<KnowledgeBaseEvent> = {
  KnowledgeBaseCreated: {
    schema: z.object({
      ...settings,
      id: wire.knowledgeBaseId,
      scope: wire.scope,
      documentIds: z.enum(['keyed', 'plain']),
      createdAt: wire.time,
    }),
    upcasters: adding({ documentIds: 'plain' }),
    sealed: { name: ERASED, description: '', fields: undefined, synonyms: undefined },
  },
  KnowledgeBaseConfigured: {
    schema: z.object({ ...settings, id: wire.knowledgeBaseId, configuredAt: wire.time }),
    upcasters: sealedSince2,
    sealed: { name: ERASED, description: '', fields: undefined, synonyms: undefined },
  },
  KnowledgeBaseArchived: { schema: z.object({ id: wire.knowledgeBaseId, archivedAt: wire.time }) },
  KnowledgeBasePaused: { schema: z.object({ id: wire.knowledgeBaseId, pausedAt: wire.time }) },
  KnowledgeBaseResumed: { schema: z.object({ id: wire.knowledgeBaseId, resumedAt: wire.time }) },
  KnowledgeBaseStrategyEvaluated: { schema: strategyEvaluationSchema },
  KnowledgeBaseStrategySet: { schema: strategySetSchema },
  KnowledgeBaseDeletionRequested: { schema: z.object({ id: wire.knowledgeBaseId, requestedAt: wire.time }) },
  KnowledgeBaseDeleted: { schema: z.object({ id: wire.knowledgeBaseId, deletedAt: wire.time }) },
};
