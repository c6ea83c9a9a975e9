import type { Grounding, InputOf, retrieveContext } from '@palimpsest/contracts/http';
import { refined, type SearchRequest } from '../search/search-request.ts';

export type ContextRequest = Readonly<{ search: SearchRequest; maxTokens: number; grounding: Grounding }>;

/** @throws InvalidValue */
export const contextRequest = ({ maxTokens, grounding, ...search }: InputOf<typeof retrieveContext>['body']): ContextRequest => ({
  search: refined(search),
  maxTokens,
  grounding,
});
