import { Controller, Get, Inject } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { authorise, hasRole } from '@palimpsest/knowledge';
import type { Access, Catalog, ScopeCounts } from '@palimpsest/knowledge';
import { Caller, PORT, type CallerContext } from '@palimpsest/runtime';
import type { Figures } from '../telemetry/figures/figures.ts';

/** For people: what there is, and how it has been going. */
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
  @ApiOperation({ summary: 'Documents and chunks that the caller may read (an operator: all), and the figures of the last 15 minutes' })
  async overview(@Caller() { access }: CallerContext) {
    const operator = hasRole(access, 'operator');
    const counts = operator ? { documents: await this.#catalog.documentCounts(), chunks: await this.#catalog.chunkCount() } : await this.#readable(access);
    return { of: operator ? 'installation' : 'readable', ...counts, health: await this.#figures.health(), series: this.#figures.series() };
  }

  async #readable(access: Access): Promise<ScopeCounts> {
    const scopes = await this.#catalog.scopes(access.tenant);
    return this.#catalog.countsIn(authorise(access, scopes.map(({ scope: { scope } }) => scope)));
  }
}
