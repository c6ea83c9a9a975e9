import { useInfiniteQuery, useQuery, useQueryClient, type InfiniteData, type QueryClient } from '@tanstack/react-query';
import { ProblemError, REQUEST_LIMITS, type EventPage, type EventView } from '@palimpsest/client';
import { scopesFor } from '../knowledge-bases/scopes.ts';
import { useVisible } from '../live/use-visible.ts';
import { useSession } from '../session/session.ts';
import { isUnderWay, ordered } from './erasure-facts.ts';

/** While something is being erased, and otherwise. */
const POLL_MS = { busy: 1_000, idle: 10_000 } as const;
const PERSONS_PER_PAGE = 20;

type State = Parameters<typeof isUnderWay>[0];
type Listed<T> = Readonly<{ erasures: readonly T[]; next: string | undefined }>;

const pollMs = (erasures: readonly State[] = []): number => (erasures.some(isUnderWay) ? POLL_MS.busy : POLL_MS.idle);

/** Undefined for something that has nothing to erase. A complete erasure does not change any more, so it is not asked for again. */
const known = async <T extends State>(queries: QueryClient, key: readonly string[], get: () => Promise<T>): Promise<T | undefined> => {
  const before = queries.getQueryData<T>(key);
  if (before?.state === 'completed') return before;
  try {
    const now = await get();
    queries.setQueryData(key, now);
    return now;
  } catch (error) {
    if (error instanceof ProblemError && error.status === 404) return undefined;
    throw error;
  }
};

/** The pages of the log that name erasures, the newest first, and the state of each. */
function useLogged<T extends State>(
  { key, type, limit, enabled }: Readonly<{ key: string; type: string; limit: number; enabled: boolean }>,
  erasuresOf: (events: readonly EventView[], isFirst: boolean, signal: AbortSignal) => Promise<readonly (T | undefined)[]>,
) {
  const { client } = useSession();
  const isVisible = useVisible();
  return useInfiniteQuery({
    queryKey: ['erasures', key],
    queryFn: async ({ signal, pageParam }): Promise<Listed<T>> => {
      const { events, next }: EventPage = await client.events.list({ types: [type], limit, cursor: pageParam }, { signal });
      const erasures = await erasuresOf(events, pageParam === undefined, signal);
      return { erasures: erasures.filter((each) => each !== undefined), next };
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    select: ({ pages }: InfiniteData<Listed<T>>) => pages.flatMap(({ erasures }) => erasures),
    refetchInterval: ({ state: { data } }) => pollMs(data?.pages.flatMap(({ erasures }) => erasures)),
    enabled: enabled && isVisible,
  });
}

/** The scopes that the key names, those of readable knowledge bases, and those whose erasure is on the log: they have no knowledge base any more. */
export function useScopeErasures() {
  const { client, caller } = useSession();
  const queries = useQueryClient();
  const { data, ...query } = useLogged(
    { key: 'scopes', type: 'ScopeErasureRequested', limit: REQUEST_LIMITS.page.events, enabled: true },
    async (events, isFirst, signal) => {
      const others = isFirst ? [...scopesFor(caller), ...(await client.knowledgeBases.list({ signal }))] : [];
      const scopes = new Set([...others, ...events].flatMap(({ scope }) => scope ?? []));
      const stateOf = (scope: string) => known(queries, ['erasure', scope], () => client.erasures.get(scope, { signal }));
      return Promise.all([...scopes].map(stateOf));
    },
  );
  // A scope of the first page may be on the log of a later one.
  const scopes = data && ordered([...new Map(data.map((each) => [each.scope, each])).values()]);
  return { data: scopes, ...query };
}

/** The erasures of persons, as the log has them: without their names. Only a key for all teams may read them. */
export function usePersonErasures() {
  const { client, caller } = useSession();
  const queries = useQueryClient();
  return useLogged(
    { key: 'persons', type: 'SubjectErasureRequested', limit: PERSONS_PER_PAGE, enabled: caller.teams.includes('*') },
    async (events, _isFirst, signal) => {
      const erasures = new Set(events.flatMap(({ data }) => (typeof data?.['subject'] === 'string' ? data['subject'] : [])));
      const stateOf = (id: string) => known(queries, ['erasure', id], () => client.erasures.getOfPerson(id, { signal }));
      return Promise.all([...erasures].map(stateOf));
    },
  );
}

/** An erased scope has no history that could be removed. */
export function useHistory(scope: string, isThere: boolean) {
  const { client } = useSession();
  const isVisible = useVisible();
  return useQuery({
    queryKey: ['erasures', 'history', scope],
    queryFn: ({ signal }) => client.erasures.history(scope, { signal }),
    refetchInterval: ({ state: { data } }) => (data?.running ? POLL_MS.busy : POLL_MS.idle),
    enabled: isThere && isVisible,
  });
}

/** Null for a tenant that is not being erased. */
export function useTenantErasure(tenant: string) {
  const { client } = useSession();
  const isVisible = useVisible();
  const queries = useQueryClient();
  return useQuery({
    queryKey: ['erasures', 'tenant', tenant],
    queryFn: async ({ signal }) =>
      (await known(queries, ['erasure', 'tenant', tenant], () => client.erasures.getOfTenant(tenant, { signal }))) ?? null,
    refetchInterval: ({ state: { data } }) => pollMs(data ? [data] : []),
    enabled: isVisible,
  });
}
