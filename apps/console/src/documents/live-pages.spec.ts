import type { DocumentChange, DocumentView } from '@palimpsest/client';
import { patched, type Pages } from './live-pages.ts';

const aDocument = (documentId: string, status: DocumentView['status'] = 'pending'): DocumentView => ({
  documentId,
  status,
  knowledgeBase: 'default',
  scope: 'deployment',
  sourceId: `${documentId}.md`,
  title: documentId,
  version: 1,
  mediaType: 'text/markdown',
  bytes: 1,
  chunks: 0,
  failedChunks: 0,
  withoutVector: 0,
  language: 'en',
  labels: {},
  origin: 'UserContent',
  warnings: [],
  submittedAt: '2026-11-22T08:00:00.000Z',
});
const pages: Pages = {
  pages: [{ documents: [aDocument('a'), aDocument('b')], next: 'n' }, { documents: [aDocument('c')] }],
  pageParams: [undefined, 'n'],
};
const change = (documentId: string, status: DocumentChange['status']): DocumentChange => ({
  position: '9',
  documentId,
  status,
  at: '2026-11-22T08:00:01.000Z',
  ...(status === 'deleted' ? {} : { document: aDocument(documentId, status) }),
});
const shown = (found: Pages | undefined) =>
  found?.pages.map(({ documents }) => documents.map(({ documentId, status }) => `${documentId} ${status}`));

describe('a live list of documents', () => {
  it('updates a changed document in its position', () =>
    expect(shown(patched(pages, change('c', 'indexed')))).toEqual([['a pending', 'b pending'], ['c indexed']]));
  it('removes a deleted document', () => expect(shown(patched(pages, change('b', 'deleted')))).toEqual([['a pending'], ['c pending']]));
  it('must be loaded again when a new document was added', () => expect(patched(pages, change('d', 'pending'))).toBeUndefined());
});
