import { Controller, Inject } from '@nestjs/common';
import { getStatus } from '@palimpsest/contracts/routes/operation';
import { Buses } from '@palimpsest/runtime';
import { Route, type Call } from '@palimpsest/http';
import { GetStatus } from './read-status.ts';

/** Status of the installation, served by a process that has access to all of it. */
@Controller()
export class StatusController {
  readonly #buses: Buses;

  constructor(@Inject(Buses) buses: Buses) {
    this.#buses = buses;
  }

  @Route(getStatus)
  status({ caller }: Call<typeof getStatus>) {
    return this.#buses.execute(new GetStatus(caller));
  }
}
