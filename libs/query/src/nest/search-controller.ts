import { Controller, Inject } from '@nestjs/common';
import { type Timings } from '@palimpsest/contracts/http';
import { retrieveContext, search } from '@palimpsest/contracts/routes/search';
import { hasRole, type Access } from '@palimpsest/knowledge/access';
import type { LookedBack } from '@palimpsest/knowledge/past';
import type { Position } from '@palimpsest/knowledge/values';
import { Buses } from '@palimpsest/runtime';
import { Route, type Call } from '@palimpsest/http';
import { contextRequest } from '../context/context-request.ts';
import { RetrieveContext } from '../context/retrieve-context.ts';
import { SearchKnowledge } from '../search/search-knowledge.ts';
import { refined } from '../search/search-request.ts';

@Controller()
export class SearchController {
  readonly #buses: Buses;

  constructor(@Inject(Buses) buses: Buses) {
    this.#buses = buses;
  }

  @Route(search)
  async search({ access, caller, body }: Call<typeof search>) {
    return shownTo(access, await this.#buses.execute(new SearchKnowledge(caller, refined(body))));
  }

  @Route(retrieveContext)
  async context({ access, caller, body }: Call<typeof retrieveContext>) {
    return shownTo(access, await this.#buses.execute(new RetrieveContext(caller, contextRequest(body))));
  }
}

/** Stage timings reveal whether a text was embedded before, so only operators get them. */
const shownTo = <Timed extends Readonly<{ position: Position; timings: Timings; asOf?: LookedBack }>>(
  access: Access,
  { position, timings, asOf, ...answer }: Timed,
) => ({
  ...answer,
  position: String(position),
  ...(asOf ? { asOf: { ...asOf, position: String(asOf.position) } } : {}),
  ...(hasRole(access, 'operator') ? { timings } : {}),
});
