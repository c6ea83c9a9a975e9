import { z } from 'zod';
import type { AuditEvent } from '@palimpsest/knowledge/events';
import type { WireEvents } from '../event-codec.ts';
import { wire } from '../schemas/values.ts';

export const auditEvents: WireEvents<AuditEvent> = {
  AccessRecorded: {
    schema: z.object({
      actor: z.string(),
      user: z.string().exactOptional(),
      teams: z.array(z.string()).exactOptional(),
      method: z.string(),
      operation: z.string(),
      targets: z.array(z.string()),
      status: wire.count,
      problem: z.string().exactOptional(),
      forcedBecause: z.string().exactOptional(),
      count: wire.ordinal,
      at: wire.time,
      until: wire.time.exactOptional(),
      from: z.string().exactOptional(),
      requestId: z.string(),
      dropped: wire.count.exactOptional(),
    }),
  },
};
