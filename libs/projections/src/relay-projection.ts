import { TOPICS, type ProcessDocument, type Reembed } from '@palimpsest/contracts';
import {
  projection,
  type DomainEvent,
  type Fact,
  type GenerationResumed,
  type GenerationStarted,
  type KnowledgeBaseResumed,
} from '@palimpsest/knowledge/events';
import type { Message } from '@palimpsest/knowledge/ports';
import { rangesOf } from '@palimpsest/knowledge/deciders';
import { generationNumber } from '@palimpsest/knowledge/values';
import type { WaitingDocument } from '@palimpsest/knowledge/read-models';

/** Messages for a topic, or the documents that a resumed knowledge base releases: all that it held. */
export type Work = Readonly<{ topic: string; messages: readonly Message[] }> | Readonly<{ release: Fact<KnowledgeBaseResumed> }>;

/** The work that a fact causes. A message has the id of its event, with its range, so that publishing it twice has no effect. */
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
      messages: [message(fact, `${tenant}/${documentId}`, { tenant, scope, documentId, version, correlationId })],
    };
  },
  GenerationStarted: (fact) => (generationNumber(fact.event.data.generation) === 1 ? wholeScope(fact) : ranges(fact)),
  // The workers settled the messages of the paused swap. Ranges that are done have no work left.
  GenerationResumed: (fact) => ranges(fact),
  KnowledgeBaseResumed: (fact) => ({ release: fact }),
});

/** The first generation of a scope is active at once: no swap counts its ranges, and there is hardly any work. */
const wholeScope = (fact: Fact<GenerationStarted>): Work | undefined => {
  const { tenant, scope, correlationId } = fact.metadata;
  if (scope === undefined) return undefined;
  return { topic: TOPICS.reembedding, messages: [message(fact, `${tenant}/${scope}`, { tenant, scope, correlationId })] };
};

const ranges = (fact: Fact<GenerationStarted | GenerationResumed>): Work | undefined => {
  const { tenant, scope, correlationId } = fact.metadata;
  if (scope === undefined) return undefined;
  const { generation, ranges: count } = fact.event.data;
  const messages = rangesOf(count).map((range) => ({
    ...message(fact, `${tenant}/${scope}/${generation}/${range}`, { tenant, scope, generation, range, correlationId }),
    id: `${fact.id}/${range}`,
  }));
  return { topic: TOPICS.reembedding, messages };
};

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
