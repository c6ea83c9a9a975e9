import { z } from 'zod';
import type { WireEvents } from '../event-codec.ts';
import { wire } from '../schemas/values.ts';
import type { CheckpointEvent } from '@palimpsest/knowledge/proofs';

const digest = z.string().regex(/^[0-9a-f]{64}$/);
const place = z.string().regex(/^\d{1,20}$/);

export const checkpointEvents: WireEvents<CheckpointEvent> = {
  LogCheckpointSigned: {
    schema: z.object({
      number: wire.ordinal,
      after: place,
      upTo: place,
      records: wire.ordinal,
      root: digest,
      previous: digest,
      signedAt: wire.time,
      keyId: z.string().regex(/^[0-9a-f]{16}$/),
      signature: z.base64(),
      positions: z.base64(),
      contents: z.base64(),
      expiring: z.record(z.string(), z.array(z.tuple([wire.count, wire.count]))),
    }),
  },
};
