import type { Grounding, InputOf } from '@palimpsest/contracts/http';
import type { retrieveContext } from '@palimpsest/contracts/routes/search';
import { refined, type AskedSearch } from '../search/search-request.ts';

export type ContextRequest = Readonly<{ search: AskedSearch; maxTokens: number; grounding: Grounding; compress: boolean }>;

/** @throws InvalidValue */
export const contextRequest = ({
  maxTokens,
  grounding,
  compress = false,
  ...search
}: InputOf<typeof retrieveContext>['body']): ContextRequest => ({
  search: refined(search),
  maxTokens,
  grounding,
  compress,
});
