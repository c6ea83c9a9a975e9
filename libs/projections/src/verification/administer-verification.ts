import { getVerifications, repairReadModels, verifyReadModels } from '@palimpsest/contracts/routes/verification';
import type { Access } from '@palimpsest/knowledge/access';
import { InvalidValue } from '@palimpsest/knowledge/errors';
import { command, NO_ROWS, on, query, type UseCase } from '@palimpsest/knowledge/messages';
import type { TenantId, VectorScope } from '@palimpsest/knowledge/values';
import type { PastRepair, Repair as Repaired, RepairOrder, RepairReadModels } from './repair-read-models.ts';
import type { PastVerification, Verifications } from './verifications.ts';
import type { Verification } from './verify-read-models.ts';

/** `scopes`: only these, of the tenant of the caller or of another one. */
type NewRepair = Readonly<{ tenant?: TenantId; scopes?: readonly VectorScope[] }>;

/** `everyHours`: 0 if verifications are not scheduled. `repair`: whether a scheduled one repairs what it finds. */
export type VerificationSettings = Readonly<{ everyHours: number; repair: 'manual' | 'auto' }>;

type History = VerificationSettings &
  Readonly<{ running: boolean; verifications: readonly PastVerification[]; repairs: readonly PastRepair[] }>;

/** Compares the read models of this process with the log. Only operators see the result, which covers all tenants. */
export class Verify extends query<Readonly<{ full: boolean }>, Verification>(verifyReadModels, NO_ROWS) {}
/** The last verifications of this process, and the last repairs of all. */
export class GetVerifications extends query<void, History>(getVerifications, NO_ROWS) {}
/** Makes the read models of this process equal to the log again. */
export class Repair extends command<NewRepair, Repaired>(repairReadModels) {}

export const administerVerification = (
  verifications: Verifications,
  repair: RepairReadModels,
  settings: VerificationSettings,
): UseCase => ({
  handlers: [
    on(Verify, ({ input }) => verifications.run('requested', input)),
    on(GetVerifications, async () => ({
      ...settings,
      running: verifications.isRunning,
      verifications: verifications.past(),
      repairs: await repair.past(),
    })),
    on(Repair, ({ access, input, correlationId }) => repair.run(orderOf(input, access, correlationId))),
  ],
});

const orderOf = ({ tenant, scopes }: NewRepair, access: Access, correlationId: string): RepairOrder => {
  if (tenant !== undefined && scopes === undefined) throw new InvalidValue('tenant', 'a tenant only together with `scopes`', tenant);
  const order = { by: access.actor, correlationId, trigger: 'requested' as const };
  return scopes === undefined ? order : { ...order, only: { tenant: tenant ?? access.tenant, scopes } };
};
