import { z } from 'zod';
import type { ReadModelEvent } from '@palimpsest/knowledge/repairs';
import type { WireEvents } from '../event-codec.ts';
import { wire } from '../schemas/values.ts';

const count = z.int().min(0);

export const readModelEvents: WireEvents<ReadModelEvent> = {
  ReadModelsRepaired: {
    schema: z.object({
      trigger: z.enum(['requested', 'scheduled']),
      upTo: z.string().regex(/^[0-9]{1,20}$/),
      total: count,
      counts: z.array(
        z.object({
          store: z.enum(['vectors', 'lexical', 'catalog']),
          kind: z.enum(['missing', 'extra', 'different']),
          tenant: wire.tenantId.exactOptional(),
          scope: wire.scope.exactOptional(),
          generation: wire.generationId.exactOptional(),
          count,
        }),
      ),
      chunkIds: z.array(wire.chunkId),
      remaining: count,
      repairedAt: wire.time,
    }),
  },
};
