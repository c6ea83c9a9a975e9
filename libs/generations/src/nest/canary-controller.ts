import { Controller, Inject } from '@nestjs/common';
import { getCanary, startCanary, stopCanary } from '@palimpsest/contracts/routes/canary';
import { Buses } from '@palimpsest/runtime';
import { Route, type Call } from '@palimpsest/http';
import { GetCanary, StartCanary, StopCanary } from '../canary/swap-canary.ts';
import { canaryView, swapChangedView } from './swap-view.ts';

@Controller()
export class CanaryController {
  readonly #buses: Buses;

  constructor(@Inject(Buses) buses: Buses) {
    this.#buses = buses;
  }

  @Route(startCanary)
  async start({ caller, params, body }: Call<typeof startCanary>) {
    return swapChangedView(await this.#buses.execute(new StartCanary(caller, { ...params, ...body })));
  }

  @Route(stopCanary)
  async stop({ caller, params }: Call<typeof stopCanary>) {
    return swapChangedView(await this.#buses.execute(new StopCanary(caller, params)));
  }

  @Route(getCanary)
  async get({ caller, params }: Call<typeof getCanary>) {
    const { canary, comparison } = await this.#buses.execute(new GetCanary(caller, params));
    return { ...params, ...canaryView(canary), ...(comparison === undefined ? {} : { comparison }) };
  }
}
