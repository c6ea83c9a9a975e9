import { Controller, Inject } from '@nestjs/common';
import { listAudit } from '@palimpsest/contracts/routes/tenants';
import { ListAudit } from '../audit/browse-audit.ts';
import { Buses } from '@palimpsest/runtime';
import { Route, type Call } from '@palimpsest/http';

@Controller()
export class AuditController {
  readonly #buses: Buses;

  constructor(@Inject(Buses) buses: Buses) {
    this.#buses = buses;
  }

  @Route(listAudit)
  list({ caller, query }: Call<typeof listAudit>) {
    return this.#buses.execute(new ListAudit(caller, query));
  }
}
