import { z } from 'zod';
import type { ModelEvent } from '@palimpsest/knowledge/models';
import type { WireEvents } from '../event-codec.ts';
import { modelDefinition } from '../schemas/model-schemas.ts';
import { wire } from '../schemas/values.ts';

export const modelEvents: WireEvents<ModelEvent> = {
  ModelAdded: {
    schema: z.object({ model: wire.modelId, version: wire.embeddingVersion, definition: modelDefinition, addedAt: wire.time }),
  },
  ModelRemoved: { schema: z.object({ model: wire.modelId, removedAt: wire.time }) },
};
