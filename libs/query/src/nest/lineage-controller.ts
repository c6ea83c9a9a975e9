import { Controller, Inject } from '@nestjs/common';
import { getLineage } from '@palimpsest/contracts/routes/proofs';
import { Route, type Call } from '@palimpsest/http';
import { Buses } from '@palimpsest/runtime';
import { GetLineage } from '../lineage/get-lineage.ts';

@Controller()
export class LineageController {
  readonly #buses: Buses;

  constructor(@Inject(Buses) buses: Buses) {
    this.#buses = buses;
  }

  @Route(getLineage)
  async receipt({ caller, params, body }: Call<typeof getLineage>) {
    return (await this.#buses.execute(new GetLineage(caller, { ...params, ...body }))).receipt;
  }
}
