import { z } from 'zod';
import type { HistoryEvent } from '@palimpsest/knowledge/history';
import type { WireEvents } from '../event-codec.ts';
import { wire } from '../schemas/values.ts';

const place = z.string().regex(/^\d{1,20}$/);

const removal = { scope: wire.scope, knowledgeBase: wire.knowledgeBaseId.exactOptional(), upTo: place, earliest: place };

export const historyEvents: WireEvents<HistoryEvent> = {
  HistoryRemovalStarted: { schema: z.object({ ...removal, keepDays: wire.count, startedAt: wire.time }) },
  HistoryRemovalCompleted: {
    schema: z.object({
      ...removal,
      documents: wire.count,
      records: wire.count,
      uploads: wire.count,
      left: wire.count,
      completedAt: wire.time,
    }),
  },
};
