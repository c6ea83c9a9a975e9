import { Controller, Inject } from '@nestjs/common';
import { getCaller } from '@palimpsest/contracts/routes/api-keys';
import { GetCaller } from '../access/describe-caller.ts';
import { Buses } from '@palimpsest/runtime';
import { Route, type Call } from '@palimpsest/http';

@Controller()
export class CallerController {
  readonly #buses: Buses;

  constructor(@Inject(Buses) buses: Buses) {
    this.#buses = buses;
  }

  @Route(getCaller)
  me({ caller }: Call<typeof getCaller>) {
    return this.#buses.execute(new GetCaller(caller));
  }
}
