import { Controller, Inject } from '@nestjs/common';
import { getOverview } from '@palimpsest/contracts/routes/operation';
import { Buses } from '@palimpsest/runtime';
import { Route, type Call } from '@palimpsest/http';
import { GetOverview } from './read-overview.ts';

/** Counts and figures for the console. A tenant sees its own, an operator those of the installation. */
@Controller()
export class OverviewController {
  readonly #buses: Buses;

  constructor(@Inject(Buses) buses: Buses) {
    this.#buses = buses;
  }

  @Route(getOverview)
  overview({ caller }: Call<typeof getOverview>) {
    return this.#buses.execute(new GetOverview(caller));
  }
}
