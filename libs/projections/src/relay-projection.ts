import { TOPICS, type ProcessDocument, type Reembed } from '@palimpsest/contracts';
import { projection, type DomainEvent, type Fact, type KnowledgeBaseResumed } from '@palimpsest/knowledge/events';
import type { Message } from '@palimpsest/knowledge/ports';
import type { WaitingDocument } from '@palimpsest/knowledge/read-models';

/** A message for a topic, or the documents that a resumed knowledge base releases: all that it held. */
export type Work = Readonly<{ topic: string; message: Message }> | Readonly<{ release: Fact<KnowledgeBaseResumed> }>;

/** The work that a fact causes. A message has the id of its event, so that publishing it twice has no effect. */
export const relayProjection = projection<'relay', void, Work | undefined>('relay', {
  DocumentSubmitted: (fact) => {
    const {
      event: {
        data: { documentId, version },
      },
      metadata: { tenant, scope, correlationId },
    } = fact;
    if (scope === undefined) return undefined;
    return {
      topic: TOPICS.ingestion,
      message: message(fact, `${tenant}/${documentId}`, { tenant, scope, documentId, version, correlationId }),
    };
  },
  GenerationStarted: (fact) => {
    const { tenant, scope, correlationId } = fact.metadata;
    return scope === undefined
      ? undefined
      : { topic: TOPICS.reembedding, message: message(fact, `${tenant}/${scope}`, { tenant, scope, correlationId }) };
  },
  KnowledgeBaseResumed: (fact) => ({ release: fact }),
});

const message = ({ id, metadata: { traceparent } }: Fact<DomainEvent>, key: string, body: ProcessDocument | Reembed): Message => ({
  id,
  key,
  headers: traceparent === undefined ? {} : { traceparent },
  body: JSON.stringify(body),
});

/** A released document gets a new message id, because the bus ignores the id of its first message. */
export const releasedWork = (
  { metadata, id, position }: Fact<KnowledgeBaseResumed>,
  { documentId, scope, version }: WaitingDocument,
): Message => {
  const { tenant, correlationId, traceparent } = metadata;
  return {
    id: `${id}/${documentId}/${version}`,
    key: `${tenant}/${documentId}`,
    headers: traceparent === undefined ? {} : { traceparent },
    body: JSON.stringify({ tenant, scope, documentId, version, correlationId, resumedAt: String(position) }),
  };
};
