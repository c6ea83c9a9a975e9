import { Body, Controller, HttpCode, Inject, Post } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiTags } from '@nestjs/swagger';
import { hasRole, requireRole, type Access, type Position } from '@palimpsest/knowledge';
import { Caller, jsonSchema, Policy, type CallerContext } from '@palimpsest/runtime';
import { contextBody, contextRequest } from '../context/context-request.ts';
import { RetrieveContext } from '../context/retrieve-context.ts';
import { SearchKnowledge } from '../search/search-knowledge.ts';
import { searchBody, searchRequest } from '../search/search-request.ts';

@ApiTags('Search')
@Controller('v1')
export class SearchController {
  readonly #search: SearchKnowledge;
  readonly #context: RetrieveContext;

  constructor(@Inject(SearchKnowledge) search: SearchKnowledge, @Inject(RetrieveContext) context: RetrieveContext) {
    this.#search = search;
    this.#context = context;
  }

  @Post('search')
  @Policy({ work: 'search' })
  @HttpCode(200)
  @ApiOperation({ summary: 'Find the passages that match a query best, with their citations' })
  @ApiBody({ schema: jsonSchema(searchBody) })
  async search(@Caller() { access }: CallerContext, @Body() body: unknown) {
    requireRole(access, 'reader');
    return shownTo(access, await this.#search.run(access, searchRequest(body)));
  }

  @Post('context')
  @Policy({ work: 'search' })
  @HttpCode(200)
  @ApiOperation({ summary: 'Build a prompt section from the best passages within a token budget, each with its citation' })
  @ApiBody({ schema: jsonSchema(contextBody) })
  async context(@Caller() { access }: CallerContext, @Body() body: unknown) {
    requireRole(access, 'reader');
    return shownTo(access, await this.#context.run(access, contextRequest(body)));
  }
}

/** Stage timings reveal whether a text was embedded before, so only operators get them. */
const shownTo = <Timed extends Readonly<{ position: Position; timings: unknown }>>(access: Access, { position, timings, ...answer }: Timed) => ({
  ...answer, position: String(position), ...(hasRole(access, 'operator') ? { timings } : {}),
});
