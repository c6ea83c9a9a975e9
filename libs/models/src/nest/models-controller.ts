import { Controller, Inject } from '@nestjs/common';
import { addModel, listModels, removeModel, testModel } from '@palimpsest/contracts/routes/models';
import { Route, type Call } from '@palimpsest/http';
import { Buses } from '@palimpsest/runtime';
import { AddModel, ListModels, RemoveModel } from '../manage-models.ts';
import { TestModel } from '../test-model.ts';

@Controller()
export class ModelsController {
  readonly #buses: Buses;

  constructor(@Inject(Buses) buses: Buses) {
    this.#buses = buses;
  }

  @Route(listModels)
  async list({ caller }: Call<typeof listModels>) {
    return { models: await this.#buses.execute(new ListModels(caller)) };
  }

  @Route(addModel)
  add({ caller, body }: Call<typeof addModel>) {
    return this.#buses.execute(new AddModel(caller, body));
  }

  @Route(removeModel)
  async remove({ caller, params }: Call<typeof removeModel>): Promise<void> {
    await this.#buses.execute(new RemoveModel(caller, params.id));
  }

  @Route(testModel)
  test({ caller, params }: Call<typeof testModel>) {
    return this.#buses.execute(new TestModel(caller, params.id));
  }
}
