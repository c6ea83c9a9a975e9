import { useQuery } from '@tanstack/react-query';
import type { ContextResult, SearchResult } from '@palimpsest/client';
import { inPast } from '../past/being-built.ts';
import { useClient } from '../session/session.ts';
import { requestOf, type SearchState } from './search-state.ts';

const CACHE_MS = 60_000;

/**
 * Runs one search. The previous response stays on the page until the next one arrives, unless it is of another moment: it would be taken
 * for that of this one.
 */
export const useSearch = (state: SearchState, strategy = state.strategy) => {
  const client = useClient();
  const asked = { ...state, strategy };
  const { asOf } = state;
  return useQuery<SearchResult>({
    ...inPast(asOf),
    queryKey: ['search', asOf, keyOf(asked)],
    queryFn: ({ signal }) => client.search({ ...requestOf(asked), explain: true }, { signal }),
    placeholderData: (previous, before) => (before?.queryKey[1] === asOf ? previous : undefined),
    refetchOnWindowFocus: false,
    gcTime: CACHE_MS,
  });
};

export const useContextFor = (state: SearchState) => {
  const client = useClient();
  const { maxTokens, grounding, asOf } = state;
  return useQuery<ContextResult>({
    ...inPast(asOf),
    queryKey: ['context', asOf, keyOf(state), maxTokens, grounding],
    queryFn: ({ signal }) => client.context({ ...requestOf(state), maxTokens, grounding }, { signal }),
    placeholderData: (previous, before) => (before?.queryKey[1] === asOf ? previous : undefined),
    refetchOnWindowFocus: false,
    gcTime: CACHE_MS,
  });
};

const keyOf = ({ view: _view, maxTokens: _maxTokens, grounding: _grounding, ...asked }: SearchState) => asked;
