import type { Loaded } from '@palimpsest/contracts';
import type { ErasureReceipt } from '@palimpsest/contracts/http';
import { eraseTenant, getTenantErasure, getTenantErasureReceipt } from '@palimpsest/contracts/routes/tenant-erasure';
import type { Access } from '@palimpsest/knowledge/access';
import type { Tenant } from '@palimpsest/knowledge/deciders';
import type { TenantErasure } from '@palimpsest/knowledge/erasure';
import { Conflict, InvalidValue, NotFound } from '@palimpsest/knowledge/errors';
import { command, NO_ROWS, on, query, type UseCase } from '@palimpsest/knowledge/messages';
import { DEFAULT_TENANT, type Position, type TenantId } from '@palimpsest/knowledge/values';
import type { EraseTenant as EraseSteps } from './erase-tenant.ts';

type Named = Readonly<{ tenant: TenantId }>;
export type TenantStatus = Readonly<{ tenant: TenantId; erasure: TenantErasure; position: Position }>;

export class EraseTenant extends command<Named & Readonly<{ confirm: string }>, TenantStatus>(eraseTenant) {}
export class GetTenantErasure extends query<Named, TenantStatus>(getTenantErasure, NO_ROWS) {}
export class GetTenantErasureReceipt extends query<Named, ErasureReceipt>(getTenantErasureReceipt, NO_ROWS) {}

/** Erases tenants, for operators. */
export class ManageTenantErasures implements UseCase {
  readonly handlers = [
    on(EraseTenant, ({ access, input, correlationId }) => this.#erase(access, input, correlationId)),
    on(GetTenantErasure, ({ input }) => this.#status(input)),
    on(GetTenantErasureReceipt, async ({ input: { tenant } }) => receiptOf(tenant, (await this.#status({ tenant })).erasure)),
  ];
  readonly #steps: Pick<EraseSteps, 'load' | 'scopesOf' | 'request' | 'makeUnreadable'>;

  constructor(steps: Pick<EraseSteps, 'load' | 'scopesOf' | 'request' | 'makeUnreadable'>) {
    this.#steps = steps;
  }

  /** All keys are destroyed when it returns; a worker does the rest. */
  async #erase(access: Access, { tenant, confirm }: Named & Readonly<{ confirm: string }>, correlationId: string): Promise<TenantStatus> {
    if (confirm !== tenant) throw new InvalidValue('confirm', `the name of the tenant, "${tenant}", since it cannot be undone`, confirm);
    if (tenant === access.tenant || tenant === DEFAULT_TENANT)
      throw new Conflict('this tenant has keys of operators, and cannot be erased as a whole: erase its scopes');
    const { keys } = (await this.#steps.load(tenant)).state;
    if (keys.size === 0 && (await this.#steps.scopesOf(tenant)).length === 0) throw new NotFound('tenant', tenant);
    await this.#steps.request(tenant, { actor: access.actor, correlationId });
    if ((await this.#status({ tenant })).erasure.state === 'requested') await this.#steps.makeUnreadable(tenant);
    return this.#status({ tenant });
  }

  /** @throws NotFound */
  async #status({ tenant }: Named): Promise<TenantStatus> {
    const { state, position }: Loaded<Tenant> = await this.#steps.load(tenant);
    if (state.erasure === undefined) throw new NotFound('erasure of tenant', tenant);
    return { tenant, erasure: state.erasure, position };
  }
}

const receiptOf = (tenant: TenantId, { receipt }: TenantErasure): ErasureReceipt => {
  if (receipt === undefined) throw new NotFound('receipt of an erasure of tenant', tenant);
  return JSON.parse(receipt) as ErasureReceipt;
};
