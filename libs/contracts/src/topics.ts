import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { position, tenantId, type MessageBus } from '@palimpsest/knowledge';
import { wire } from './schemas/values.ts';

/** Bus topics and what goes over them; each message names its work, never its content. */
export const TOPICS = { ingestion: 'palimpsest.ingestion', reembedding: 'palimpsest.reembedding', retrieval: 'palimpsest.retrieval' } as const;
export const GROUPS = { ingestion: 'ingestion-worker', reembedding: 'reembedding-worker', retrieval: 'retrieval-recorder' } as const;

const tenant = z.string().transform((raw) => tenantId(raw));

/** `resumedAt`: it had been held back, until its knowledge base was resumed there; what looks paused as of earlier is not so any more. */
export const processDocument = z.object({
  tenant, scope: wire.scope, documentId: wire.documentId, version: wire.ordinal, correlationId: z.string(),
  resumedAt: z.string().regex(/^[0-9]{1,20}$/).transform((raw) => position(raw)).exactOptional(),
});
export type ProcessDocument = z.infer<typeof processDocument>;

/** Without a document: look through the whole scope. */
export const reembed = z.object({ tenant, scope: wire.scope, documentId: wire.documentId.exactOptional(), correlationId: z.string() });
export type Reembed = z.infer<typeof reembed>;

/** Work that is found missing rather than decided: asking twice is harmless, since only what is lacking is done. */
export const requestReembedding = (bus: MessageBus, work: Reembed): Promise<void> =>
  bus.publish(TOPICS.reembedding, [{ id: randomUUID(), key: `${work.tenant}/${work.documentId ?? work.scope}`, headers: {}, body: JSON.stringify(work) }]);
