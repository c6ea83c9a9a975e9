import { Controller, Get, Inject } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { authorise, hasRole } from '@palimpsest/knowledge';
import type { Access, CatalogView, ScopeCounts, Views } from '@palimpsest/knowledge';
import { Caller, PORT, type CallerContext } from '@palimpsest/runtime';
import type { Figures } from '../telemetry/figures/figures.ts';

/** Counts and figures for the console. A tenant sees its own, an operator those of the installation. */
@ApiTags('Operation')
@Controller('v1/overview')
export class OverviewController {
  readonly #views: Views<CatalogView>;
  readonly #figures: Figures;

  constructor(@Inject(PORT.Views) views: Views<CatalogView>, @Inject(PORT.Figures) figures: Figures) {
    this.#views = views;
    this.#figures = figures;
  }

  @Get()
  @ApiOperation({ summary: 'Counts of the documents and chunks that the caller may read, with the figures of its tenant in the last 15 minutes; for an operator those of the installation' })
  async overview(@Caller() { access }: CallerContext) {
    if (!hasRole(access, 'operator')) return { of: 'readable', ...(await this.#readable(access)), ...this.#figures.ofTenant(access.tenant) };
    const { catalog } = this.#views.live();
    const counts = { documents: await catalog.documentCounts(), chunks: await catalog.chunkCount() };
    return { of: 'installation', ...counts, health: await this.#figures.health(), series: this.#figures.series() };
  }

  async #readable(access: Access): Promise<ScopeCounts> {
    const { catalog } = this.#views.live();
    const scopes = await catalog.scopes(access.tenant);
    return catalog.countsIn(authorise(access, scopes.map(({ scope: { scope } }) => scope)));
  }
}
