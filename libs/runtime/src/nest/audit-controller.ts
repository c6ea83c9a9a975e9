import { Controller, Inject } from '@nestjs/common';
import type { Journal } from '@palimpsest/contracts';
import { listAudit } from '@palimpsest/contracts/http';
import { BrowseAudit } from '../audit/browse-audit.ts';
import { Route, type Call } from '../http/route.ts';
import { PORT } from './ports.ts';

@Controller()
export class AuditController {
  readonly #audit: BrowseAudit;

  constructor(@Inject(PORT.Journal) journal: Journal) {
    this.#audit = new BrowseAudit(journal);
  }

  @Route(listAudit)
  list({ access, query }: Call<typeof listAudit>) {
    return this.#audit.page(access, query);
  }
}
