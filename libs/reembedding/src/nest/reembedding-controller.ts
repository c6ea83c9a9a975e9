import { Controller, Inject } from '@nestjs/common';
import { getReembedding, retireGeneration, startReembedding } from '@palimpsest/contracts/http';
import type { Generation } from '@palimpsest/knowledge/deciders';
import { Route, type Call } from '@palimpsest/runtime';
import { ReembedScope } from '../reembed-scope.ts';

@Controller()
export class ReembeddingController {
  readonly #scopes: ReembedScope;

  constructor(@Inject(ReembedScope) scopes: ReembedScope) {
    this.#scopes = scopes;
  }

  @Route(startReembedding)
  async start({ access, correlationId, params }: Call<typeof startReembedding>) {
    const { generation, position, documents } = await this.#scopes.start(access, params.scope, correlationId);
    return { ...view(generation), documents, position: String(position) };
  }

  @Route(getReembedding)
  async progress({ access, params }: Call<typeof getReembedding>) {
    const { generation, ...progress } = await this.#scopes.progress(access, params.scope);
    return { ...view(generation), ...progress };
  }

  @Route(retireGeneration)
  async retire({ access, correlationId, params: { scope, generation } }: Call<typeof retireGeneration>) {
    const position = await this.#scopes.retire(access, scope, generation, correlationId);
    return { generation, position: String(position) };
  }
}

const view = ({ id, embeddingVersion, status }: Generation) => ({ generation: id, embeddingVersion, status });
