import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import {
  ProblemError,
  REQUEST_LIMITS,
  type GoldenQueryToImport,
  type GoldenQueryView,
  type GoldenSetImported,
  type GoldenSetView,
  type PalimpsestClient,
} from '@palimpsest/client';
import { scopesFor } from '../knowledge-bases/scopes.ts';
import { useSession } from '../session/session.ts';
import { GOLDEN_EVENTS, goldenStream } from './golden-history.ts';

export type SetName = Readonly<{ scope: string; set: string }>;
export type ScopeWithSets = Readonly<{ scope: string; sets: readonly GoldenSetView[] }>;
export type LoadedSet = GoldenSetView & Readonly<{ items: readonly GoldenQueryView[] }>;

const PAGE = 500;
const MAX_RETRIES = 3;

/** The set was changed since this page loaded it. */
export const isConflict = (error: unknown): boolean => error instanceof ProblemError && error.status === 409 && error.code === 'Conflict';
export const isNotFound = (error: unknown): boolean => error instanceof ProblemError && error.status === 404;

/** Undefined for a scope that does not exist: a key can name scopes without documents. */
const setsOf = async (client: PalimpsestClient, scope: string, signal: AbortSignal): Promise<ScopeWithSets | undefined> => {
  try {
    return { scope, sets: await client.golden.list(scope, { signal }) };
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
};

/** The golden sets of all scopes that the key names and that have readable knowledge bases. */
export function useGoldenSets() {
  const { client, caller } = useSession();
  return useQuery({
    queryKey: ['golden', 'sets'],
    queryFn: async ({ signal }) => {
      const bases = await client.knowledgeBases.list({ signal });
      const scopes = [...new Set([...scopesFor(caller), ...bases].map(({ scope }) => scope))].sort();
      const found = await Promise.all(scopes.map((scope) => setsOf(client, scope, signal)));
      return found.filter((scope) => scope !== undefined);
    },
  });
}

const loadSet = async (client: PalimpsestClient, name: SetName, signal: AbortSignal): Promise<LoadedSet> => {
  const items: GoldenQueryView[] = [];
  for (let cursor: string | undefined; ;) {
    const { next, ...page } = await client.golden.get(name, { limit: PAGE, signal, ...(cursor === undefined ? {} : { cursor }) });
    items.push(...page.items);
    if (next === undefined) return { ...page, items };
    cursor = next;
  }
};

/** All queries of one version of a set. */
export function useGoldenSet({ scope, set }: SetName, enabled = true) {
  const { client } = useSession();
  return useQuery({
    queryKey: ['golden', 'set', scope, set],
    queryFn: ({ signal }) => loadSet(client, { scope, set }, signal),
    // A set that changes between two of its pages is read again.
    retry: (count, error) => isConflict(error) && count < MAX_RETRIES,
    refetchOnWindowFocus: false,
    enabled,
  });
}

/** The latest events of the golden sets of a scope. They name who changed a set. */
export function useGoldenHistory(scope: string) {
  const { client, caller } = useSession();
  return useQuery({
    queryKey: ['golden', 'history', scope],
    queryFn: async ({ signal }) => {
      const stream = goldenStream({ tenant: caller.tenant, scope });
      return (await client.events.list({ stream, types: GOLDEN_EVENTS, limit: REQUEST_LIMITS.page.events }, { signal })).events;
    },
  });
}

/** `version`: the version that the page shows, 0 if the set is new. `queries`: all queries that the set gets; without them it is removed. */
export type Change = SetName &
  Readonly<{ version: number; queries: readonly GoldenQueryToImport[] | undefined; knowledgeBase?: string | undefined }>;

/** Saves a version of a set, or removes the set. Both are refused if another user was faster. */
export function useSaveSet() {
  const { client } = useSession();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async ({ queries: lines, version, knowledgeBase, ...name }: Change): Promise<GoldenSetImported | undefined> => {
      if (lines !== undefined) return client.golden.import(name, lines, { expectedVersion: version, knowledgeBase });
      await client.golden.remove(name, { expectedVersion: version });
      return undefined;
    },
    // Also after a refusal: the page then shows what the other user saved.
    onSettled: async (_, error, { queries: lines, scope, set }) => {
      if (error !== null || lines !== undefined) return queries.invalidateQueries({ queryKey: ['golden'] });
      // Its own page must not load it again before it is left.
      queries.removeQueries({ queryKey: ['golden', 'set', scope, set] });
      return queries.invalidateQueries({ queryKey: ['golden', 'sets'] });
    },
  });
}
