import { Controller, Get, Inject } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { authorise, hasRole } from '@palimpsest/knowledge';
import type { Access, Catalog, ScopeCounts } from '@palimpsest/knowledge';
import { Caller, PORT, type CallerContext } from '@palimpsest/runtime';
import type { Figures } from '../telemetry/figures/figures.ts';

/** Counts and figures for the console. A tenant sees its own, an operator those of the installation. */
@ApiTags('Operation')
@Controller('v1/overview')
export class OverviewController {
  readonly #catalog: Catalog;
  readonly #figures: Figures;

  constructor(@Inject(PORT.Catalog) catalog: Catalog, @Inject(PORT.Figures) figures: Figures) {
    this.#catalog = catalog;
    this.#figures = figures;
  }

  @Get()
  @ApiOperation({ summary: 'Counts of the documents and chunks that the caller may read, with the figures of its tenant in the last 15 minutes; for an operator those of the installation' })
  async overview(@Caller() { access }: CallerContext) {
    if (!hasRole(access, 'operator')) return { of: 'readable', ...(await this.#readable(access)), ...this.#figures.ofTenant(access.tenant) };
    const counts = { documents: await this.#catalog.documentCounts(), chunks: await this.#catalog.chunkCount() };
    return { of: 'installation', ...counts, health: await this.#figures.health(), series: this.#figures.series() };
  }

  async #readable(access: Access): Promise<ScopeCounts> {
    const scopes = await this.#catalog.scopes(access.tenant);
    return this.#catalog.countsIn(authorise(access, scopes.map(({ scope: { scope } }) => scope)));
  }
}
