import { TOPICS, type ProcessDocument, type Reembed } from '@palimpsest/contracts';
import type { DomainEvent, Fact, KnowledgeBaseResumed, Message, WaitingDocument } from '@palimpsest/knowledge';

/** The events that lead to work: each to one message, but for a knowledge base that is resumed, which lets go what it held back. */
export const WORK_TYPES = ['DocumentSubmitted', 'GenerationStarted', 'KnowledgeBaseResumed'] as const satisfies readonly DomainEvent['type'][];

export type Work = Readonly<{ topic: string; message: Message }>;

/** What work follows from a fact; the message's id is the event's, so that publishing twice is publishing once. */
export const workOf = ({ event, metadata, id }: Fact<DomainEvent>): Work | undefined => {
  const { tenant, scope, correlationId, traceparent } = metadata;
  if (scope === undefined) return undefined;
  const headers: Record<string, string> = traceparent === undefined ? {} : { traceparent };
  const message = (key: string, body: ProcessDocument | Reembed): Message => ({ id, key, headers, body: JSON.stringify(body) });
  if (event.type === 'DocumentSubmitted') {
    const { documentId, version } = event.data;
    return { topic: TOPICS.ingestion, message: message(`${tenant}/${documentId}`, { tenant, scope, documentId, version, correlationId }) };
  }
  if (event.type === 'GenerationStarted') return { topic: TOPICS.reembedding, message: message(`${tenant}/${scope}`, { tenant, scope, correlationId }) };
  return undefined;
};

/** What is let go has a message of its own, since the bus ignores the one that it had. */
export const releasedWork = ({ metadata, id, position }: Fact<KnowledgeBaseResumed>, { documentId, scope, version }: WaitingDocument): Message => {
  const { tenant, correlationId, traceparent } = metadata;
  return {
    id: `${id}/${documentId}/${version}`,
    key: `${tenant}/${documentId}`,
    headers: traceparent === undefined ? {} : { traceparent },
    body: JSON.stringify({ tenant, scope, documentId, version, correlationId, resumedAt: String(position) }),
  };
};
