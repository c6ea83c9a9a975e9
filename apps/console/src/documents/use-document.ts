import { useQuery } from '@tanstack/react-query';
import type { StreamState } from '../live/use-stream.ts';
import type { AsOf } from '../past/as-of.ts';
import { inPast } from '../past/being-built.ts';
import { useClient } from '../session/session.ts';

const POLL_MS = 3_000;

/** One document now, kept up to date, or as it was. */
export const useDocument = (id: string, asOf: AsOf, live: StreamState) => {
  const client = useClient();
  return useQuery({
    queryKey: asOf === undefined ? ['document', id] : ['past', asOf, 'document', id],
    queryFn: ({ signal }) => client.documents.get(id, { asOf, signal }),
    ...(asOf === undefined ? { refetchInterval: live === 'live' ? false : POLL_MS } : inPast(asOf)),
  });
};
