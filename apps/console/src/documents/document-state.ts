import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { DocumentChange } from '@palimpsest/client';
import { useClient } from '../session/session.ts';

/** What one line about a document needs; comes from the list's stream, or is asked for once. */
export type DocumentState = Pick<DocumentChange, 'status' | 'progress' | 'document'>;

export const stateKey = (documentId: string): readonly unknown[] => ['document-state', documentId];

export const useDocumentState = (documentId: string): DocumentState | undefined => {
  const client = useClient();
  const queries = useQueryClient();
  const { data } = useQuery<DocumentState>({
    queryKey: stateKey(documentId),
    queryFn: async ({ signal }) => {
      const told = (): DocumentState | undefined => queries.getQueryData(stateKey(documentId));
      const before = told();
      const document = await client.documents.get(documentId, { signal });
      // What the stream told meanwhile is not older than this answer.
      const meanwhile = told();
      return meanwhile !== undefined && meanwhile !== before ? meanwhile : { status: document.status, document };
    },
    staleTime: Infinity,
    // It may be a moment until a document that was just accepted is known.
    retry: 5,
  });
  return data;
};
