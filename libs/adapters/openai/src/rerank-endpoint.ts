import { truncateText } from '@palimpsest/foundation';
import type { Reranker, RerankPassage } from '@palimpsest/knowledge/models';
import { openEndpoint, type EndpointOptions } from './endpoint-requests.ts';
import { rerankAnswer } from './rerank-answer.ts';

/** More than the windows of most rerankers, which truncate what they cannot read. */
const MAX_DOCUMENT_CHARS = 8_000;

/** An endpoint of the form `POST …/v1/rerank { model, query, documents, top_n }`. @throws InvalidValue that names the option */
export const openRerankModel = (options: EndpointOptions): Reranker => {
  const { model } = options;
  const endpoint = openEndpoint(options, 'the rerank endpoint');
  return {
    version: `endpoint:${model}`,
    score: async (query, passages, signal) => {
      signal?.throwIfAborted();
      if (passages.length === 0) return [];
      const body = { model, query, documents: passages.map(documentOf), top_n: passages.length };
      return endpoint.ask(
        async (client, stop) => rerankAnswer(await client.post<unknown>('/rerank', { body, signal: stop }), passages.length),
        signal,
      );
    },
    close: endpoint.close,
  };
};

/** Title and context first, since the end may be cut off. Some endpoints refuse an empty document. */
const documentOf = ({ title, context, text }: RerankPassage): string =>
  truncateText([title, context, text].filter((part) => part.trim() !== '').join('\n'), MAX_DOCUMENT_CHARS).text || '-';
