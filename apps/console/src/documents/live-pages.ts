import type { DocumentChange, DocumentView } from '@palimpsest/client';

export type Pages = Readonly<{
  pages: readonly Readonly<{ documents: readonly DocumentView[]; next?: string }>[];
  pageParams: readonly unknown[];
}>;

/** The pages of a list after one document changed. Undefined when no page contains the document: only the server knows its position. */
export const patched = (pages: Pages, { documentId, status, document }: DocumentChange): Pages | undefined => {
  let found = false;
  const changed = pages.pages.map((page) => ({
    ...page,
    documents: page.documents.flatMap((known) => {
      if (known.documentId !== documentId) return [known];
      found = true;
      return status === 'deleted' ? [] : [document ?? known];
    }),
  }));
  if (status === 'deleted') return { ...pages, pages: changed };
  return found ? { ...pages, pages: changed } : undefined;
};
