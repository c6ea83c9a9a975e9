import { z } from 'zod';
import { CANARY_STRINGS, type ModelEvent } from '@palimpsest/knowledge/models';
import type { WireEvents } from '../event-codec.ts';
import { modelDefinition } from '../schemas/model-schemas.ts';
import { wire } from '../schemas/values.ts';

export const modelEvents: WireEvents<ModelEvent> = {
  ModelAdded: {
    schema: z.object({ model: wire.modelId, version: wire.embeddingVersion, definition: modelDefinition, addedAt: wire.time }),
  },
  ModelFingerprinted: {
    schema: z.object({
      version: wire.embeddingVersion,
      fingerprint: z.array(z.base64()).length(CANARY_STRINGS.length),
      fingerprintedAt: wire.time,
    }),
  },
  ModelRemoved: { schema: z.object({ model: wire.modelId, removedAt: wire.time }) },
};
