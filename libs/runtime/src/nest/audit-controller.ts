import { Controller, Inject } from '@nestjs/common';
import { listAudit } from '@palimpsest/contracts/http';
import { BrowseAudit } from '../audit/browse-audit.ts';
import { Route, type Call } from '../http/route.ts';

@Controller()
export class AuditController {
  readonly #audit: BrowseAudit;

  constructor(@Inject(BrowseAudit) audit: BrowseAudit) {
    this.#audit = audit;
  }

  @Route(listAudit)
  list({ access, query }: Call<typeof listAudit>) {
    return this.#audit.page(access, query);
  }
}
