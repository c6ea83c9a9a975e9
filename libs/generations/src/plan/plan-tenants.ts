import { planTenants } from '@palimpsest/contracts/routes/swap-plan';
import { Conflict, NotFound } from '@palimpsest/knowledge/errors';
import { command, on, type UseCase } from '@palimpsest/knowledge/messages';
import { ScopeKeyDestroyed } from '@palimpsest/knowledge/ports';
import type { CatalogReader, ScopeView } from '@palimpsest/knowledge/read-models';
import type { EmbeddingVersion, TenantId } from '@palimpsest/knowledge/values';
import { asThePlatform } from '../evaluation/as-the-platform.ts';
import { wantedModel } from '../wanted-recipe.ts';
import type { EmbeddedSample } from './embed-sample.ts';
import { measureScope, type Measured, type MeasurePorts } from './measure-scope.ts';
import { totalsOf, type Totals } from './totals.ts';

export type TenantsPlanned = Readonly<{
  embeddingVersion: EmbeddingVersion;
  tenants: readonly (Totals & Readonly<{ tenant: TenantId }>)[];
  total: Totals;
}>;

/** `sample`: chunks to embed; default none, since texts of tenants would be sent to a model that none of them uses yet. */
export class PlanTenants extends command<Readonly<{ embeddingVersion?: string; sample?: number }>, TenantsPlanned>(planTenants) {}

/** Texts that are read for all scopes together, and at least for each. */
const READ = { all: 20_000, each: 50 } as const;

/** What it would take to move the whole installation to a model: sums by tenant, for operators. */
export class PlanTenantsOfInstallation implements UseCase {
  readonly handlers = [
    on(PlanTenants, ({ input: { embeddingVersion, sample = 0 } }) =>
      this.#plan(wantedModel(this.#ports.providers, embeddingVersion), sample),
    ),
  ];
  readonly #ports: MeasurePorts & Readonly<{ catalog: Pick<CatalogReader, 'scopes'> }>;
  #isRunning = false;

  constructor(ports: MeasurePorts & Readonly<{ catalog: Pick<CatalogReader, 'scopes'> }>) {
    this.#ports = ports;
  }

  /** @throws Conflict while this process makes another such plan; errors of the model */
  async #plan(version: EmbeddingVersion, sample: number): Promise<TenantsPlanned> {
    if (this.#isRunning) throw new Conflict('a plan of the installation is being made; ask again when it is complete');
    this.#isRunning = true;
    try {
      const scopes = await this.#ports.catalog.scopes();
      const byTenant = new Map<TenantId, Measured['figures'][]>();
      let speed: EmbeddedSample | undefined;
      for (const view of scopes) {
        const measured = await this.#measure(view, { version, sample, scopes: scopes.length, speed });
        speed ??= measured?.speed;
        if (measured) byTenant.set(view.scope.tenant, [...(byTenant.get(view.scope.tenant) ?? []), measured.figures]);
      }
      const tenants = [...byTenant].map(([tenant, figures]) => ({ tenant, ...totalsOf(figures) }));
      return { embeddingVersion: version, tenants, total: totalsOf([...byTenant.values()].flat()) };
    } finally {
      this.#isRunning = false;
    }
  }

  /** Undefined for a scope that has the model, or is being moved. */
  async #measure(
    { scope }: ScopeView,
    of: Readonly<{ version: EmbeddingVersion; sample: number; scopes: number; speed: EmbeddedSample | undefined }>,
  ): Promise<Measured | undefined> {
    const { version, sample, scopes, speed } = of;
    const maxRead = Math.max(READ.each, Math.floor(READ.all / scopes));
    const options = { target: { embeddingVersion: version }, sample, maxRead, cutover: 'automatic' as const, ...(speed ? { speed } : {}) };
    try {
      return await measureScope(this.#ports, asThePlatform(scope, 'swap-planner'), options, new AbortController().signal);
    } catch (error) {
      if (error instanceof Conflict || error instanceof NotFound || error instanceof ScopeKeyDestroyed) return undefined;
      throw error;
    }
  }
}
