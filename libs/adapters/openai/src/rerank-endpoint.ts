import type { Reranker, RerankPassage } from '@palimpsest/knowledge/models';
import { rerankAnswer } from './rerank-answer.ts';
import { openRerankEndpoint, type RerankEndpointOptions } from './rerank-request.ts';
import { truncateText } from './text-batches.ts';

/** More than the windows of most rerankers, which truncate what they cannot read. */
const MAX_DOCUMENT_CHARS = 8_000;

/** An endpoint of the form `POST …/v1/rerank { model, query, documents, top_n }`. @throws InvalidValue that names the option */
export const openRerankModel = (options: RerankEndpointOptions): Reranker =>
  openRerankEndpoint(options, {
    name: 'the rerank endpoint',
    version: `endpoint:${options.model}`,
    ask: async (client, query, passages, signal) => {
      const body = { model: options.model, query, documents: passages.map(documentOf), top_n: passages.length };
      return rerankAnswer(await client.post<unknown>('/rerank', { body, signal }), passages.length);
    },
  });

/** Title and context first, since the end may be cut off. Some endpoints refuse an empty document. */
const documentOf = ({ title, context, text }: RerankPassage): string =>
  truncateText([title, context, text].filter((part) => part.trim() !== '').join('\n'), MAX_DOCUMENT_CHARS).text || '-';
