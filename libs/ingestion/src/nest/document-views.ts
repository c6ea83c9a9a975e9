import type { DocumentView, VisibleChunk } from '@palimpsest/knowledge/read-models';
import type { ChunkText } from '@palimpsest/knowledge/events';
import type { At } from '../documents/find-documents.ts';
import type { Submitted } from '../submission/submit-document.ts';

/** Positions are strings on the wire; the tenant is the caller's own and is not repeated. */
export const submittedView = ({ documentId, sourceId, version, status, failure }: Submitted) => ({
  documentId,
  sourceId,
  version,
  status,
  ...(failure === undefined ? {} : { error: { code: failure.reason, detail: failure.detail } }),
});

/** The moment of a result in the past. */
export const momentOf = ({ asOf }: Pick<At<unknown>, 'asOf'>) =>
  asOf === undefined ? {} : { asOf: { ...asOf, position: String(asOf.position) } };

export const documentBody = ({ tenant: _tenant, ...view }: DocumentView) => view;

export const selectedView = ({ documentId, knowledgeBase, scope, sourceId, title, version }: DocumentView) => ({
  ...{ documentId, knowledgeBase, scope, sourceId, title, version },
});

type ShownChunk = Pick<VisibleChunk, 'chunkId' | 'index' | 'of' | 'start' | 'end' | 'fromLine' | 'toLine' | 'page' | 'language' | 'symbol'>;

export const chunkBody = (chunk: ShownChunk, { text, contextPrefix, headings }: ChunkText) => {
  const { chunkId, index, of, start, end, fromLine, toLine, page, language, symbol } = chunk;
  return {
    chunkId,
    index,
    of,
    text,
    contextPrefix,
    headings,
    start,
    end,
    fromLine,
    toLine,
    language,
    ...(page === undefined ? {} : { page }),
    ...(symbol === undefined ? {} : { symbol }),
  };
};
