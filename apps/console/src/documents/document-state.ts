import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { DocumentChange } from '@palimpsest/client';
import { useClient } from '../session/session.ts';

/** What one row about a document needs. It comes from the live stream, or from one request. */
export type DocumentState = Pick<DocumentChange, 'status' | 'progress' | 'document'>;

export const stateKey = (documentId: string): readonly unknown[] => ['document-state', documentId];

export const useDocumentState = (documentId: string): DocumentState | undefined => {
  const client = useClient();
  const queries = useQueryClient();
  const { data } = useQuery<DocumentState>({
    queryKey: stateKey(documentId),
    queryFn: async ({ signal }) => {
      const cached = (): DocumentState | undefined => queries.getQueryData(stateKey(documentId));
      const before = cached();
      const document = await client.documents.get(documentId, { signal });
      // A change that the stream delivered in the meantime is not older than this response.
      const meanwhile = cached();
      return meanwhile !== undefined && meanwhile !== before ? meanwhile : { status: document.status, document };
    },
    staleTime: Infinity,
    // The server needs a moment to show a document that it has just accepted.
    retry: 5,
  });
  return data;
};
