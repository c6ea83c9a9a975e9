import { path } from './transport.ts';
import type { CallOptions } from './call-options.ts';
import type { Transport } from './transport.ts';
import type { TenantView, UsageView } from '@palimpsest/contracts/http';
import type { TenantLimits } from './requests.ts';

/** Limits and usage of tenants (`client.tenants`). All methods except `usage` are for operators. */
export class TenantsClient {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Limits and usage of the tenant that this client's key belongs to. */
  usage({ signal }: CallOptions = {}): Promise<UsageView> {
    return this.#transport.send({ method: 'GET', path: '/v1/usage', signal });
  }

  async list({ signal }: CallOptions = {}): Promise<readonly TenantView[]> {
    const { tenants } = await this.#transport.send<{ tenants: readonly TenantView[] }>({ method: 'GET', path: '/v1/tenants', signal });
    return tenants;
  }

  limits(tenant: string, { signal }: CallOptions = {}): Promise<TenantView> {
    return this.#transport.send({ method: 'GET', path: path`/v1/tenants/${tenant}/limits`, signal });
  }

  /** Replaces the limits that were set before. */
  setLimits(tenant: string, limits: TenantLimits, { signal }: CallOptions = {}): Promise<TenantView> {
    return this.#transport.send({ method: 'PUT', path: path`/v1/tenants/${tenant}/limits`, json: limits, signal });
  }
}
