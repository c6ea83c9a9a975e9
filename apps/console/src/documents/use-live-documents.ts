import { useCallback, useRef } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import type { DocumentChange } from '@palimpsest/client';
import { useClient } from '../session/session.ts';
import { useStream, type StreamState } from '../live/use-stream.ts';
import { stateKey, type DocumentState } from './document-state.ts';
import { patched, type Pages } from './live-pages.ts';

/** How long changes are collected before the list is loaded again. */
const COLLECT_MS = 500;

/** Keeps every list and page of documents on screen up to date with the server. */
export const useLiveDocuments = (filter: Readonly<{ document?: string; knowledgeBase?: string }> = {}): StreamState => {
  const client = useClient();
  const queries = useQueryClient();
  const refreshTimer = useRef<number>(undefined);
  const refresh = useCallback(() => {
    refreshTimer.current ??= window.setTimeout(() => {
      refreshTimer.current = undefined;
      void queries.invalidateQueries({ queryKey: ['documents'] });
      void queries.invalidateQueries({ queryKey: ['knowledge-bases'] });
    }, COLLECT_MS);
  }, [queries]);
  const apply = (change: DocumentChange): void => {
    // A list that is being fetched may be older than this change and would undo it.
    if (queries.isFetching({ queryKey: ['documents'] }) > 0) refresh();
    for (const [key, data] of queries.getQueriesData<Pages>({ queryKey: ['documents'] })) {
      if (data === undefined) continue;
      const next = patched(data, change);
      if (next) queries.setQueryData(key, next);
      else refresh();
    }
    queries.setQueryData<DocumentState>(stateKey(change.documentId), change);
    void queries.invalidateQueries({ queryKey: ['document', change.documentId] });
  };
  const { state } = useStream<DocumentChange>({
    of: JSON.stringify(filter),
    open: (options) => client.documents.follow(filter, options),
    onItem: apply,
    onLive: () => {
      refresh();
      void queries.invalidateQueries({ queryKey: ['document-state'] });
    },
  });
  return state;
};
