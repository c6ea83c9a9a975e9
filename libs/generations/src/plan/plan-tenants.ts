import { planTenants } from '@palimpsest/contracts/routes/swap-plan';
import { Conflict } from '@palimpsest/knowledge/errors';
import { command, on, type UseCase } from '@palimpsest/knowledge/messages';
import type { CatalogReader } from '@palimpsest/knowledge/read-models';
import type { EmbeddingVersion } from '@palimpsest/knowledge/values';
import { wantedModel } from '../wanted-recipe.ts';
import { measureScopes, type MeasuredScopes } from './measure-scopes.ts';
import type { MeasurePorts } from './measure-scope.ts';

export type TenantsPlanned = Readonly<{ embeddingVersion: EmbeddingVersion }> & Pick<MeasuredScopes, 'tenants' | 'total'>;

/** `sample`: chunks to embed; default none, since texts of tenants would be sent to a model that none of them uses yet. */
export class PlanTenants extends command<Readonly<{ embeddingVersion?: string; sample?: number }>, TenantsPlanned>(planTenants) {}

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
  async #plan(embeddingVersion: EmbeddingVersion, sample: number): Promise<TenantsPlanned> {
    if (this.#isRunning) throw new Conflict('a plan of the installation is being made; ask again when it is complete');
    this.#isRunning = true;
    try {
      const scopes = (await this.#ports.catalog.scopes()).map(({ scope }) => scope);
      const { tenants, total } = await measureScopes(this.#ports, scopes, { target: { embeddingVersion }, sample });
      return { embeddingVersion, tenants, total };
    } finally {
      this.#isRunning = false;
    }
  }
}
