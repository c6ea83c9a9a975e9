import { cancelRebuild, getRebuild, pauseRebuild, rebuildReadModels, resumeRebuild } from '@palimpsest/contracts/routes/rebuild';
import type { Access } from '@palimpsest/knowledge/access';
import { InvalidValue } from '@palimpsest/knowledge/errors';
import { command, NO_ROWS, on, query, type UseCase } from '@palimpsest/knowledge/messages';
import type { TenantId, VectorScope } from '@palimpsest/knowledge/values';
import type { RebuildReadModels } from './rebuilds/rebuild-read-models.ts';
import type { RebuildOrder, RebuildStatus, Rebuilt } from './rebuilds/rebuild-run.ts';

/** `scopes`: only these, of the tenant of the caller or of another one. */
type NewRebuild = Readonly<{ maxEventsPerSecond?: number; tenant?: TenantId; scopes?: readonly VectorScope[] }>;

/** Replaces the read models of this process by new ones, made from the log. */
export class Rebuild extends command<NewRebuild, Rebuilt>(rebuildReadModels) {}
/** The running rebuild of this process, otherwise the last one. */
export class GetRebuild extends query<void, RebuildStatus | undefined>(getRebuild, NO_ROWS) {}
export class PauseRebuild extends command<void, RebuildStatus>(pauseRebuild) {}
export class ResumeRebuild extends command<void, RebuildStatus>(resumeRebuild) {}
export class CancelRebuild extends command<void, RebuildStatus>(cancelRebuild) {}

export const administerReadModels = (rebuild: RebuildReadModels): UseCase => ({
  handlers: [
    on(Rebuild, ({ access, input }) => rebuild.run(orderOf(input, access))),
    on(GetRebuild, () => rebuild.status()),
    on(PauseRebuild, () => rebuild.pause()),
    on(ResumeRebuild, () => rebuild.resume()),
    on(CancelRebuild, () => rebuild.cancel()),
  ],
});

const orderOf = ({ tenant, scopes, ...order }: NewRebuild, access: Access): RebuildOrder => {
  if (tenant !== undefined && scopes === undefined) throw new InvalidValue('tenant', 'a tenant only together with `scopes`', tenant);
  return { ...order, by: access.actor, ...(scopes === undefined ? {} : { only: { tenant: tenant ?? access.tenant, scopes } }) };
};
