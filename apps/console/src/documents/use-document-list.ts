import { useInfiniteQuery } from '@tanstack/react-query';
import type { DocumentPage, DocumentStatus } from '@palimpsest/client';
import type { StreamState } from '../live/use-stream.ts';
import type { AsOf } from '../past/as-of.ts';
import { inPast } from '../past/being-built.ts';
import { useClient } from '../session/session.ts';

const PER_PAGE = 50;
/** Polling interval while the live stream is not connected. */
const POLL_MS = 4_000;

export type ListFilter = Readonly<{ knowledgeBase: string | undefined; status: DocumentStatus | undefined; source: string | undefined }>;

/** The list now, kept up to date, or as it was. Live changes are applied to lists whose key begins with `documents`: not to those of the past. */
export const useDocumentList = (filter: ListFilter, asOf: AsOf, live: StreamState) => {
  const client = useClient();
  return useInfiniteQuery({
    queryKey: asOf === undefined ? ['documents', filter] : ['past', asOf, 'documents', filter],
    queryFn: ({ signal, pageParam }): Promise<DocumentPage> =>
      client.documents.list({ ...filter, ...(asOf === undefined ? {} : { asOf }), limit: PER_PAGE, cursor: pageParam }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    ...(asOf === undefined ? { refetchInterval: live === 'live' ? false : POLL_MS } : inPast(asOf)),
  });
};
