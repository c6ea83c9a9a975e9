import { z } from 'zod';
import type { ScopeEvent } from '@palimpsest/knowledge/events';
import type { Json } from '@palimpsest/knowledge/ports';
import { KNOWLEDGE_BASE_CHUNKING, UNKNOWN_ANALYSER } from '@palimpsest/knowledge/values';
import type { Upcaster, WireEvents } from '../event-codec.ts';
import { wire } from '../schemas/values.ts';
import { recipeSchema } from './recipe-schema.ts';

const withRecipe: Upcaster = ({ embeddingVersion = null, ...data }) => ({
  ...data,
  recipe: { embedding: { version: embeddingVersion }, chunking: { ...KNOWLEDGE_BASE_CHUNKING } as Json, analyser: UNKNOWN_ANALYSER },
});

export const scopeEvents: WireEvents<ScopeEvent> = {
  ScopeOpened: { schema: z.object({ scope: wire.scope, openedAt: wire.time }) },
  GenerationStarted: {
    schema: z.object({
      scope: wire.scope,
      generation: wire.generationId,
      recipe: recipeSchema,
      startedAt: wire.time,
    }),
    upcasters: [withRecipe],
  },
  GenerationActivated: { schema: z.object({ scope: wire.scope, generation: wire.generationId, activatedAt: wire.time }) },
  GenerationRetired: { schema: z.object({ scope: wire.scope, generation: wire.generationId, retiredAt: wire.time }) },
};
