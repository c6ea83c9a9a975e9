import { useQuery } from '@tanstack/react-query';
import type { KnowledgeBaseView, LookedBack } from '@palimpsest/client';
import type { AsOf } from '../past/as-of.ts';
import { inPast } from '../past/being-built.ts';
import { useClient } from '../session/session.ts';

/** `waiting`: why there is no list yet. */
type Known = Readonly<{
  knowledgeBases: readonly KnowledgeBaseView[] | undefined;
  shown?: LookedBack | undefined;
  error: unknown;
  waiting: unknown;
}>;

/** All that the caller reads, now or at a moment in the past. */
export const useKnowledgeBases = (asOf: AsOf): Known => {
  const client = useClient();
  const now = useQuery({
    queryKey: ['knowledge-bases'],
    queryFn: ({ signal }) => client.knowledgeBases.list({ signal }),
    enabled: asOf === undefined,
  });
  const past = useQuery({
    ...inPast(asOf),
    queryKey: ['past', asOf, 'knowledge-bases'],
    queryFn: ({ signal }) => client.knowledgeBases.listAt({ asOf, signal }),
    enabled: asOf !== undefined,
  });
  if (asOf === undefined) return { knowledgeBases: now.data, error: now.error, waiting: null };
  return {
    knowledgeBases: past.data?.knowledgeBases,
    shown: past.data?.asOf,
    error: past.error,
    waiting: past.isPending && past.failureReason,
  };
};
