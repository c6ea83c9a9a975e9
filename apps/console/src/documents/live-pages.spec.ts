import type { DocumentChange, DocumentView } from '@palimpsest/client';
import { patched, type Pages } from './live-pages.ts';

const aDocument = (documentId: string, status: DocumentView['status'] = 'pending'): DocumentView => ({
  documentId, status, knowledgeBase: 'default', scope: 'deployment', sourceId: `${documentId}.md`, title: documentId, version: 1, mediaType: 'text/markdown',
  bytes: 1, chunks: 0, failedChunks: 0, language: 'en', labels: {}, origin: 'UserContent', warnings: [], submittedAt: '2026-11-22T08:00:00.000Z',
});
const pages: Pages = { pages: [{ documents: [aDocument('a'), aDocument('b')], next: 'n' }, { documents: [aDocument('c')] }], pageParams: [undefined, 'n'] };
const change = (documentId: string, status: DocumentChange['status']): DocumentChange => ({
  position: '9', documentId, status, at: '2026-11-22T08:00:01.000Z', ...(status === 'deleted' ? {} : { document: aDocument(documentId, status) }),
});
const shown = (found: Pages | undefined) => found?.pages.map(({ documents }) => documents.map(({ documentId, status }) => `${documentId} ${status}`));

describe('a list of documents that one looks at', () => {
  it('shows what a document has become, where it stands', () => expect(shown(patched(pages, change('c', 'indexed')))).toEqual([['a pending', 'b pending'], ['c indexed']]));
  it('loses what was deleted', () => expect(shown(patched(pages, change('b', 'deleted')))).toEqual([['a pending'], ['c pending']]));
  it('has to be asked for again when something new has come', () => expect(patched(pages, change('d', 'pending'))).toBeUndefined());
});
