import { Controller, Get, Inject, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Caller, type CallerContext } from '../access/caller.ts';
import { auditQuery, BrowseAudit } from '../audit/browse-audit.ts';
import { ApiQueries } from '../http/json-schema.ts';

@ApiTags('Audit')
@Controller('v1/audit')
export class AuditController {
  readonly #audit: BrowseAudit;

  constructor(@Inject(BrowseAudit) audit: BrowseAudit) {
    this.#audit = audit;
  }

  @Get()
  @ApiOperation({ summary: 'List audit entries: who did what, when and from where. Newest first; for admins and operators.' })
  @ApiQueries(auditQuery)
  list(@Caller() { access }: CallerContext, @Query() query: unknown) {
    return this.#audit.page(access, query);
  }
}
