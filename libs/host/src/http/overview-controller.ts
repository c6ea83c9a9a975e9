import { Controller, Get, Inject } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Caller, type CallerContext } from '@palimpsest/runtime';
import { ReadOverview } from '../operations/read-overview.ts';

/** Counts and figures for the console. A tenant sees its own, an operator those of the installation. */
@ApiTags('Operation')
@Controller('v1/overview')
export class OverviewController {
  readonly #overview: ReadOverview;

  constructor(@Inject(ReadOverview) overview: ReadOverview) {
    this.#overview = overview;
  }

  @Get()
  @ApiOperation({ summary: 'Counts of the documents and chunks that the caller may read, with the figures of its tenant in the last 15 minutes; for an operator those of the installation' })
  overview(@Caller() { access }: CallerContext) {
    return this.#overview.run(access);
  }
}
