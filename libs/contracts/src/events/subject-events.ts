import { z } from 'zod';
import type { SubjectEvent } from '@palimpsest/knowledge/erasure';
import type { WireEvents } from '../event-codec.ts';
import { wire } from '../schemas/values.ts';

const subject = wire.subjectKey;

export const subjectEvents: WireEvents<SubjectEvent> = {
  SubjectErasureRequested: { schema: z.object({ subject, requestedAt: wire.time }) },
  SubjectErased: { schema: z.object({ subject, scopes: z.array(wire.scope), documents: wire.count, erasedAt: wire.time }) },
  SubjectErasureCompleted: { schema: z.object({ subject, receipt: z.string(), completedAt: wire.time }) },
};
