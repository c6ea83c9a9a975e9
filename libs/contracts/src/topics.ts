import { z } from 'zod';
import type { Ids } from '@palimpsest/foundation';
import type { MessageBus } from '@palimpsest/knowledge/ports';
import { MAX_DOCUMENT_RANGES } from '@palimpsest/knowledge/deciders';
import { position, tenantId } from '@palimpsest/knowledge/values';
import { wire } from './schemas/values.ts';

/** Topics of the message bus. Messages contain ids, never contents. */
export const TOPICS = {
  ingestion: 'palimpsest.ingestion',
  reembedding: 'palimpsest.reembedding',
  retrieval: 'palimpsest.retrieval',
} as const;
export const GROUPS = { ingestion: 'ingestion-worker', reembedding: 'reembedding-worker', retrieval: 'retrieval-recorder' } as const;

const tenant = z.string().transform((raw) => tenantId(raw));

/** `resumedAt`: the position at which the paused knowledge base was resumed. A read model behind it may still show it as paused. */
export const processDocument = z.object({
  tenant,
  scope: wire.scope,
  documentId: wire.documentId,
  version: wire.ordinal,
  correlationId: z.string(),
  resumedAt: z
    .string()
    .regex(/^[0-9]{1,20}$/)
    .transform((raw) => position(raw))
    .exactOptional(),
});
export type ProcessDocument = z.infer<typeof processDocument>;

/**
 * With `documentId`: only this document. With `generation` and `range`: one range of documents of the generation that is being built.
 * Without them: the whole scope; earlier versions started a swap with one such message.
 */
export const reembed = z.object({
  tenant,
  scope: wire.scope,
  documentId: wire.documentId.exactOptional(),
  generation: wire.generationId.exactOptional(),
  range: wire.count.max(MAX_DOCUMENT_RANGES - 1).exactOptional(),
  correlationId: z.string(),
});
export type Reembed = z.infer<typeof reembed>;

/** Requests missing vectors. Repeated requests are harmless, since only missing vectors are computed. */
export const requestReembedding = (bus: MessageBus, work: Reembed, ids: Ids): Promise<void> =>
  bus.publish(TOPICS.reembedding, [
    { id: ids.next(), key: `${work.tenant}/${work.documentId ?? work.scope}`, headers: {}, body: JSON.stringify(work) },
  ]);
