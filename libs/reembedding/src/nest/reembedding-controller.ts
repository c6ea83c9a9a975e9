import { Controller, Get, HttpCode, Inject, Param, Post } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { generationId, vectorScope, type Generation } from '@palimpsest/knowledge';
import { Caller, type CallerContext } from '@palimpsest/runtime';
import { ReembedScope } from '../reembed-scope.ts';

@ApiTags('Operation')
@Controller('v1/scopes')
export class ReembeddingController {
  readonly #scopes: ReembedScope;

  constructor(@Inject(ReembedScope) scopes: ReembedScope) {
    this.#scopes = scopes;
  }

  @Post(':scope/reembed')
  @HttpCode(202)
  @ApiOperation({ summary: 'Re-embed a scope with the current model. Searches use the old generation until the new one is complete.' })
  async start(@Caller() { access, correlationId }: CallerContext, @Param('scope') scope: string) {
    const { generation, position, documents } = await this.#scopes.start(access, vectorScope(scope), correlationId);
    return { ...view(generation), documents, position: String(position) };
  }

  @Get(':scope/reembed')
  @ApiOperation({ summary: 'Get the progress of re-embedding, in chunks' })
  async progress(@Caller() { access }: CallerContext, @Param('scope') scope: string) {
    const { generation, ...progress } = await this.#scopes.progress(access, vectorScope(scope));
    return { ...view(generation), ...progress };
  }

  @Post(':scope/generations/:generation/retire')
  @HttpCode(200)
  @ApiOperation({ summary: 'Retire an inactive generation: delete its indexes and stop embedding for it' })
  async retire(@Caller() { access, correlationId }: CallerContext, @Param('scope') scope: string, @Param('generation') generation: string) {
    const position = await this.#scopes.retire(access, vectorScope(scope), generationId(generation), correlationId);
    return { generation, position: String(position) };
  }
}

const view = ({ id, embeddingVersion, status }: Generation) => ({ generation: id, embeddingVersion, status });
