import { Controller, Inject } from '@nestjs/common';
import { retrieveContext, search, type Timings } from '@palimpsest/contracts/http';
import { hasRole, type Access } from '@palimpsest/knowledge/access';
import type { Position } from '@palimpsest/knowledge/values';
import { Route, type Call } from '@palimpsest/runtime';
import { contextRequest } from '../context/context-request.ts';
import { RetrieveContext } from '../context/retrieve-context.ts';
import { SearchKnowledge } from '../search/search-knowledge.ts';
import { refined } from '../search/search-request.ts';

@Controller()
export class SearchController {
  readonly #search: SearchKnowledge;
  readonly #context: RetrieveContext;

  constructor(@Inject(SearchKnowledge) search: SearchKnowledge, @Inject(RetrieveContext) context: RetrieveContext) {
    this.#search = search;
    this.#context = context;
  }

  @Route(search)
  async search({ access, body }: Call<typeof search>) {
    return shownTo(access, await this.#search.run(access, refined(body)));
  }

  @Route(retrieveContext)
  async context({ access, body }: Call<typeof retrieveContext>) {
    return shownTo(access, await this.#context.run(access, contextRequest(body)));
  }
}

/** Stage timings reveal whether a text was embedded before, so only operators get them. */
const shownTo = <Timed extends Readonly<{ position: Position; timings: Timings }>>(
  access: Access,
  { position, timings, ...answer }: Timed,
) => ({
  ...answer,
  position: String(position),
  ...(hasRole(access, 'operator') ? { timings } : {}),
});
