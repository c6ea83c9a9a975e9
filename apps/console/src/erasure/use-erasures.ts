import { useQuery } from '@tanstack/react-query';
import { ProblemError, REQUEST_LIMITS, type PalimpsestClient, type ScopeErasure } from '@palimpsest/client';
import { scopesFor } from '../knowledge-bases/scopes.ts';
import { useVisible } from '../live/use-visible.ts';
import { useSession } from '../session/session.ts';
import { isUnderWay, ordered } from './erasure-facts.ts';

/** While something is being erased, and otherwise. */
const POLL_MS = { busy: 1_000, idle: 10_000 } as const;
const LATEST_PERSONS = 20;

/** A scope that was never used has nothing to erase. */
const erasureOf = async (client: PalimpsestClient, scope: string, signal: AbortSignal): Promise<readonly ScopeErasure[]> => {
  try {
    return [await client.erasures.get(scope, { signal })];
  } catch (error) {
    if (error instanceof ProblemError && error.status === 404) return [];
    throw error;
  }
};

/** The scopes that the key names, those of readable knowledge bases, and those whose erasure is on the log: they have no knowledge base any more. */
export function useScopeErasures() {
  const { client, caller } = useSession();
  const isVisible = useVisible();
  return useQuery({
    queryKey: ['erasures', 'scopes'],
    queryFn: async ({ signal }) => {
      const [bases, { events }] = await Promise.all([
        client.knowledgeBases.list({ signal }),
        client.events.list({ types: ['ScopeErasureRequested'], limit: REQUEST_LIMITS.page.events }, { signal }),
      ]);
      const scopes = new Set([...scopesFor(caller), ...bases, ...events].flatMap(({ scope }) => scope ?? []));
      return ordered((await Promise.all([...scopes].map((scope) => erasureOf(client, scope, signal)))).flat());
    },
    refetchInterval: ({ state: { data = [] } }) => (data.some(isUnderWay) ? POLL_MS.busy : POLL_MS.idle),
    enabled: isVisible,
  });
}

/** The latest erasures of persons, as the log has them: without their names. Only a key for all teams may read them. */
export function usePersonErasures() {
  const { client, caller } = useSession();
  const isVisible = useVisible();
  return useQuery({
    queryKey: ['erasures', 'persons'],
    queryFn: async ({ signal }) => {
      const { events } = await client.events.list({ types: ['SubjectErasureRequested'], limit: LATEST_PERSONS }, { signal });
      const erasures = new Set(events.flatMap(({ data }) => (typeof data?.['subject'] === 'string' ? data['subject'] : [])));
      return Promise.all([...erasures].map((erasure) => client.erasures.getOfPerson(erasure, { signal })));
    },
    refetchInterval: ({ state: { data = [] } }) => (data.some(isUnderWay) ? POLL_MS.busy : POLL_MS.idle),
    enabled: isVisible && caller.teams.includes('*'),
  });
}
