import { Body, Controller, HttpCode, Inject, Post } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiTags } from '@nestjs/swagger';
import { requireRole } from '@palimpsest/knowledge';
import { Caller, jsonSchema, type CallerContext } from '@palimpsest/runtime';
import { SearchKnowledge } from '../search/search-knowledge.ts';
import { searchBody, searchRequest } from '../search/search-request.ts';

@ApiTags('Search')
@Controller('v1')
export class SearchController {
  readonly #search: SearchKnowledge;

  constructor(@Inject(SearchKnowledge) search: SearchKnowledge) {
    this.#search = search;
  }

  @Post('search')
  @HttpCode(200)
  @ApiOperation({ summary: 'The passages that fit a query best, with their citations' })
  @ApiBody({ schema: jsonSchema(searchBody) })
  async search(@Caller() { access }: CallerContext, @Body() body: unknown) {
    requireRole(access, 'reader');
    const { position, ...answer } = await this.#search.run(access, searchRequest(body));
    return { ...answer, position: String(position) };
  }
}
