import { Controller, Inject } from '@nestjs/common';
import { getReembedding, retireGeneration, startReembedding } from '@palimpsest/contracts/routes/operation';
import type { Generation } from '@palimpsest/knowledge/deciders';
import { Buses } from '@palimpsest/runtime';
import { Route, type Call } from '@palimpsest/http';
import { GetReembedding, RetireGeneration, StartReembedding } from '../reembed-scope.ts';

@Controller()
export class ReembeddingController {
  readonly #buses: Buses;

  constructor(@Inject(Buses) buses: Buses) {
    this.#buses = buses;
  }

  @Route(startReembedding)
  async start({ caller, params }: Call<typeof startReembedding>) {
    const { generation, position, documents } = await this.#buses.execute(new StartReembedding(caller, params));
    return { ...view(generation), documents, position: String(position) };
  }

  @Route(getReembedding)
  async progress({ caller, params }: Call<typeof getReembedding>) {
    const { generation, ...progress } = await this.#buses.execute(new GetReembedding(caller, params));
    return { ...view(generation), ...progress };
  }

  @Route(retireGeneration)
  async retire({ caller, params }: Call<typeof retireGeneration>) {
    const position = await this.#buses.execute(new RetireGeneration(caller, params));
    return { generation: params.generation, position: String(position) };
  }
}

const view = ({ id, embeddingVersion, status }: Generation) => ({ generation: id, embeddingVersion, status });
