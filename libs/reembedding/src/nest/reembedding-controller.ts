import { Controller, Get, HttpCode, Inject, Param, Post } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { vectorScope, type Generation } from '@palimpsest/knowledge';
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
  @ApiOperation({ summary: 'Bring a scope to the current embedding model, beside the old one; it switches when all is there' })
  async start(@Caller() { access, correlationId }: CallerContext, @Param('scope') scope: string) {
    const { generation, position, documents } = await this.#scopes.start(access, vectorScope(scope), correlationId);
    return { ...view(generation), documents, position: String(position) };
  }

  @Get(':scope/reembed')
  @ApiOperation({ summary: 'How far it has come, in chunks' })
  async progress(@Caller() { access }: CallerContext, @Param('scope') scope: string) {
    const { generation, ...progress } = await this.#scopes.progress(access, vectorScope(scope));
    return { ...view(generation), ...progress };
  }
}

const view = ({ id, embeddingVersion, status }: Generation) => ({ generation: id, embeddingVersion, status });
