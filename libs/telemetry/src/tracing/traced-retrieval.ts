import type { Attributes } from '@opentelemetry/api';
import type { ObserveRetrieval, RetrievalSeen } from '@palimpsest/query';
import { inSpan } from './spans.ts';

/** In the names of both conventions. */
const KIND = { 'gen_ai.operation.name': 'retrieval', 'openinference.span.kind': 'RETRIEVER' };

/** A span has at most 128 attributes, by the default of OpenTelemetry; further ones are dropped. `gen_ai.retrieval.documents` has all hits. */
const MAX_DOCUMENTS = 25;

/**
 * A span for each search, in the OpenTelemetry conventions for generative AI (`gen_ai.retrieval.*`) and in those of OpenInference, so that
 * Langfuse, Phoenix and others show it as a retrieval. `texts`: whether it also has the texts of tenants that record their queries.
 */
export const tracedRetrieval =
  ({ texts }: Readonly<{ texts: boolean }>): ObserveRetrieval =>
  (search, seen) =>
    inSpan('retrieval', { attributes: KIND }, async (span) => {
      const found = await search();
      const { texts: known, ...rest } = seen(found);
      span.setAttributes(attributesOf(texts && known ? { ...rest, texts: known } : rest));
      return found;
    });

const attributesOf = ({ id, strategy, topK, queryLength, models, hits, texts }: RetrievalSeen): Attributes => ({
  'palimpsest.retrieval.id': id,
  'palimpsest.retrieval.strategy': strategy,
  'palimpsest.query.length': queryLength,
  'palimpsest.embedding.versions': [...models],
  'gen_ai.retrieval.top_k': topK,
  'gen_ai.retrieval.documents': JSON.stringify(hits.map(({ chunkId, score }) => ({ id: chunkId, score }))),
  ...Object.fromEntries(
    hits
      .slice(0, MAX_DOCUMENTS)
      .flatMap(({ chunkId, documentId, score }, i) => [
        [`retrieval.documents.${i}.document.id`, chunkId],
        [`retrieval.documents.${i}.document.score`, score],
        [`retrieval.documents.${i}.document.metadata`, JSON.stringify({ documentId })],
        ...(texts ? [[`retrieval.documents.${i}.document.content`, texts.hits[i]]] : []),
      ]),
  ),
  ...(texts ? { 'gen_ai.retrieval.query.text': texts.query, 'input.value': texts.query, 'input.mime_type': 'text/plain' } : {}),
});
