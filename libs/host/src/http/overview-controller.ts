import { Controller, Inject } from '@nestjs/common';
import { getOverview, type OverviewView } from '@palimpsest/contracts/http';
import { authorise, hasRole } from '@palimpsest/knowledge';
import type { Access, CatalogView, ScopeCounts, Views } from '@palimpsest/knowledge';
import { PORT, Route, type Call } from '@palimpsest/runtime';
import type { Figures } from '../telemetry/figures/figures.ts';

/** Counts and figures for the console. A tenant sees its own, an operator those of the installation. */
@Controller()
export class OverviewController {
  readonly #views: Views<CatalogView>;
  readonly #figures: Figures;

  constructor(@Inject(PORT.Views) views: Views<CatalogView>, @Inject(PORT.Figures) figures: Figures) {
    this.#views = views;
    this.#figures = figures;
  }

  @Route(getOverview)
  async overview({ access }: Call<typeof getOverview>): Promise<OverviewView> {
    if (!hasRole(access, 'operator'))
      return { of: 'readable', ...(await this.#readable(access)), ...this.#figures.ofTenant(access.tenant) };
    const { catalog } = this.#views.live();
    const counts = { documents: await catalog.documentCounts(), chunks: await catalog.chunkCount() };
    return { of: 'installation', ...counts, health: await this.#figures.health(), series: this.#figures.series() };
  }

  async #readable(access: Access): Promise<ScopeCounts> {
    const { catalog } = this.#views.live();
    const scopes = await catalog.scopes(access.tenant);
    return catalog.countsIn(
      authorise(
        access,
        scopes.map(({ scope: { scope } }) => scope),
      ),
    );
  }
}
