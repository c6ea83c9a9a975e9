import { Controller, Inject } from '@nestjs/common';
import { getLimits, getUsage, listTenants, setLimits } from '@palimpsest/contracts/routes/tenants';
import { Buses } from '@palimpsest/runtime';
import { Route, type Call } from '@palimpsest/http';
import { GetLimits, GetUsage, ListTenants, SetLimits } from '../limits/limits-of-tenants.ts';

@Controller()
export class LimitsController {
  readonly #buses: Buses;

  constructor(@Inject(Buses) buses: Buses) {
    this.#buses = buses;
  }

  @Route(getUsage)
  usage({ caller }: Call<typeof getUsage>) {
    return this.#buses.execute(new GetUsage(caller));
  }

  @Route(listTenants)
  async list({ caller }: Call<typeof listTenants>) {
    return { tenants: await this.#buses.execute(new ListTenants(caller)) };
  }

  @Route(getLimits)
  one({ caller, params }: Call<typeof getLimits>) {
    return this.#buses.execute(new GetLimits(caller, params.tenant));
  }

  @Route(setLimits)
  set({ caller, params: { tenant }, body: { tier, overrides } }: Call<typeof setLimits>) {
    const assigned = { overrides, ...(tier === null ? {} : { tier }) };
    return this.#buses.execute(new SetLimits(caller, { tenant, assigned }));
  }
}
