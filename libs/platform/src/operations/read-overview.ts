import { type OverviewView } from '@palimpsest/contracts/http';
import { getOverview } from '@palimpsest/contracts/routes/operation';
import { authorise, hasRole } from '@palimpsest/knowledge/access';
import { NO_ROWS, on, query, type UseCase } from '@palimpsest/knowledge/messages';
import type { Access } from '@palimpsest/knowledge/access';
import type { CatalogView, ScopeCounts, Views } from '@palimpsest/knowledge/read-models';
import type { Figures } from '@palimpsest/telemetry';

export type OverviewPorts = Readonly<{ views: Views<CatalogView>; figures: Figures }>;

/** Counts and recent figures of what the caller may read; for an operator those of the installation. */
export class GetOverview extends query<void, OverviewView>(getOverview, NO_ROWS) {}

export class ReadOverview implements UseCase {
  readonly handlers = [on(GetOverview, ({ access }) => this.run(access))];
  readonly #views: Views<CatalogView>;
  readonly #figures: Figures;

  constructor({ views, figures }: OverviewPorts) {
    this.#views = views;
    this.#figures = figures;
  }

  async run(access: Access): Promise<OverviewView> {
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
