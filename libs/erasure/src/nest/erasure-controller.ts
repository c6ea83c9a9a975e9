import { Controller, Inject } from '@nestjs/common';
import { eraseScope, getErasure, getErasureReceipt, holdScope, releaseScope } from '@palimpsest/contracts/routes/erasure';
import { Route, type Call } from '@palimpsest/http';
import { Buses } from '@palimpsest/runtime';
import { EraseScope, GetErasure, GetErasureReceipt, HoldScope, ReleaseScope, type ErasureStatus } from '../manage-erasures.ts';

@Controller()
export class ErasureController {
  readonly #buses: Buses;

  constructor(@Inject(Buses) buses: Buses) {
    this.#buses = buses;
  }

  @Route(eraseScope)
  async erase({ caller, params, body }: Call<typeof eraseScope>) {
    return viewOf(await this.#buses.execute(new EraseScope(caller, { ...params, ...body })));
  }

  @Route(getErasure)
  async get({ caller, params }: Call<typeof getErasure>) {
    return viewOf(await this.#buses.execute(new GetErasure(caller, params)));
  }

  @Route(getErasureReceipt)
  receipt({ caller, params }: Call<typeof getErasureReceipt>) {
    return this.#buses.execute(new GetErasureReceipt(caller, params));
  }

  @Route(holdScope)
  async hold({ caller, params, body }: Call<typeof holdScope>) {
    return viewOf(await this.#buses.execute(new HoldScope(caller, { ...params, ...body })));
  }

  @Route(releaseScope)
  async release({ caller, params }: Call<typeof releaseScope>) {
    return viewOf(await this.#buses.execute(new ReleaseScope(caller, params)));
  }
}

const viewOf = ({ scope, state: { hold, erasure }, position }: ErasureStatus) => {
  const { state = 'none' as const, receipt: _, ...about } = erasure ?? {};
  return { scope, state, ...about, ...(hold ? { held: { reason: hold.reason, since: hold.at } } : {}), position: String(position) };
};
