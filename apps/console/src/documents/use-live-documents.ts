import { useCallback, useRef } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import type { DocumentChange } from '@palimpsest/client';
import { useClient } from '../session/session.ts';
import { useStream, type StreamState } from '../live/use-stream.ts';
import { stateKey, type DocumentState } from './document-state.ts';
import { patched, type Pages } from './live-pages.ts';

/** How long new documents gather before the list is asked for again. */
const GATHER_MS = 500;

/** Keeps every list and page of documents that is shown as the server has it. */
export const useLiveDocuments = (filter: Readonly<{ document?: string; knowledgeBase?: string }> = {}): StreamState => {
  const client = useClient();
  const queries = useQueryClient();
  const gathering = useRef<number>(undefined);
  const askAgain = useCallback(() => {
    gathering.current ??= window.setTimeout(() => {
      gathering.current = undefined;
      void queries.invalidateQueries({ queryKey: ['documents'] });
      void queries.invalidateQueries({ queryKey: ['knowledge-bases'] });
    }, GATHER_MS);
  }, [queries]);
  const take = (change: DocumentChange): void => {
    // A list that is on its way may be older than this change, and would undo it.
    if (queries.isFetching({ queryKey: ['documents'] }) > 0) askAgain();
    for (const [key, data] of queries.getQueriesData<Pages>({ queryKey: ['documents'] })) {
      if (data === undefined) continue;
      const next = patched(data, change);
      if (next) queries.setQueryData(key, next);
      else askAgain();
    }
    queries.setQueryData<DocumentState>(stateKey(change.documentId), change);
    void queries.invalidateQueries({ queryKey: ['document', change.documentId] });
  };
  const { state } = useStream<DocumentChange>({
    of: JSON.stringify(filter),
    open: (options) => client.documents.follow(filter, options),
    onTold: take,
    onLive: () => {
      askAgain();
      void queries.invalidateQueries({ queryKey: ['document-state'] });
    },
  });
  return state;
};
