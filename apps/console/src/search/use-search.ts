import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { ContextResult, SearchResult, Strategy } from '@palimpsest/client';
import { useClient } from '../session/session.ts';
import { requestOf, type SearchState } from './search-state.ts';

const CACHE_MS = 60_000;

/** Runs one search. The previous response stays on the page until the next one arrives. */
export const useSearch = (state: SearchState, strategy: Strategy = state.strategy) => {
  const client = useClient();
  const asked = { ...state, strategy };
  return useQuery<SearchResult>({
    queryKey: ['search', keyOf(asked)],
    queryFn: ({ signal }) => client.search({ ...requestOf(asked), explain: true }, { signal }),
    placeholderData: keepPreviousData,
    refetchOnWindowFocus: false,
    gcTime: CACHE_MS,
  });
};

export const useContextFor = (state: SearchState) => {
  const client = useClient();
  const { maxTokens, grounding } = state;
  return useQuery<ContextResult>({
    queryKey: ['context', keyOf(state), maxTokens, grounding],
    queryFn: ({ signal }) => client.context({ ...requestOf(state), maxTokens, grounding }, { signal }),
    placeholderData: keepPreviousData,
    refetchOnWindowFocus: false,
    gcTime: CACHE_MS,
  });
};

const keyOf = ({ view: _view, maxTokens: _maxTokens, grounding: _grounding, ...asked }: SearchState) => asked;
