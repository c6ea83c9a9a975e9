import type { Readiness } from '@palimpsest/contracts/http';
import { hasRole } from '@palimpsest/knowledge/access';
import type { ReadModels } from '@palimpsest/knowledge/read-models';
import { callerOf, type ApiKeys } from '@palimpsest/tenancy';
import type { Figures } from '@palimpsest/telemetry';

/** `failure`: the last failure of the projection, if it makes no progress. */
export type HealthPorts = Readonly<{
  readModels: Pick<ReadModels, 'serving'> & Readonly<{ failure: () => unknown }>;
  figures: Figures;
  apiKeys: ApiKeys;
}>;

/** Whether this process can serve, and how well retrieval works. */
export class ReadHealth {
  readonly #ports: HealthPorts;

  constructor(ports: HealthPorts) {
    this.#ports = ports;
  }

  async readiness(): Promise<Readonly<{ ready: boolean }> & Readiness> {
    const { figures, readModels } = this.#ports;
    const writesFail = await figures.writesFail();
    const failing = readModels.failure() !== undefined;
    const ready = readModels.serving() && !failing;
    if (ready && writesFail) return { ready, status: 'degraded', reasons: ['writes-failing'] };
    return { ready, status: ready ? 'ok' : failing ? 'projection failing' : 'catching up' };
  }

  /** The route needs no key; an operator's key adds the figures. */
  async retrieval(authorization: string | undefined) {
    const health = await this.#ports.figures.health();
    const { status, reasons, windowSeconds } = health;
    const access = callerOf(this.#ports.apiKeys, authorization);
    return access !== undefined && hasRole(access, 'operator') ? health : { status, reasons, windowSeconds };
  }
}
