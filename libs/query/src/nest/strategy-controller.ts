import { Controller, Inject } from '@nestjs/common';
import { evaluateStrategy, getStrategy, setStrategy } from '@palimpsest/contracts/routes/strategies';
import { Route, type Call } from '@palimpsest/http';
import { Buses } from '@palimpsest/runtime';
import { EvaluateStrategy, GetStrategy, SetStrategy, type KnowledgeBaseStrategy } from '../strategy/strategies.ts';

@Controller()
export class StrategyController {
  readonly #buses: Buses;

  constructor(@Inject(Buses) buses: Buses) {
    this.#buses = buses;
  }

  @Route(getStrategy)
  async get({ caller, params }: Call<typeof getStrategy>) {
    return view(await this.#buses.execute(new GetStrategy(caller, params)));
  }

  @Route(evaluateStrategy)
  async evaluate({ caller, params, body }: Call<typeof evaluateStrategy>) {
    return view(await this.#buses.execute(new EvaluateStrategy(caller, { ...params, ...body })));
  }

  @Route(setStrategy)
  async set({ caller, params, body }: Call<typeof setStrategy>) {
    return view(await this.#buses.execute(new SetStrategy(caller, { ...params, ...body })));
  }
}

const view = ({ scope: _scope, position, ...rest }: KnowledgeBaseStrategy) => ({ ...rest, position: String(position) });
