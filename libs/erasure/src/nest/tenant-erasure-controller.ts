import { Controller, Inject } from '@nestjs/common';
import { eraseTenant, getTenantErasure, getTenantErasureReceipt } from '@palimpsest/contracts/routes/tenant-erasure';
import { Route, type Call } from '@palimpsest/http';
import { Buses } from '@palimpsest/runtime';
import { EraseTenant, GetTenantErasure, GetTenantErasureReceipt, type TenantStatus } from '../manage-tenant-erasures.ts';

@Controller()
export class TenantErasureController {
  readonly #buses: Buses;

  constructor(@Inject(Buses) buses: Buses) {
    this.#buses = buses;
  }

  @Route(eraseTenant)
  async erase({ caller, params, body }: Call<typeof eraseTenant>) {
    return viewOf(await this.#buses.execute(new EraseTenant(caller, { ...params, ...body })));
  }

  @Route(getTenantErasure)
  async get({ caller, params }: Call<typeof getTenantErasure>) {
    return viewOf(await this.#buses.execute(new GetTenantErasure(caller, params)));
  }

  @Route(getTenantErasureReceipt)
  receipt({ caller, params }: Call<typeof getTenantErasureReceipt>) {
    return this.#buses.execute(new GetTenantErasureReceipt(caller, params));
  }
}

const viewOf = ({ tenant, erasure: { receipt: _, ...about }, position }: TenantStatus) => ({
  tenant,
  ...about,
  position: String(position),
});
