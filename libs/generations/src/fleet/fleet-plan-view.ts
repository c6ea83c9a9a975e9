import type { FleetPlanView } from '@palimpsest/contracts/http';
import type { System } from '@palimpsest/foundation';
import type { Access, Role } from '@palimpsest/knowledge/access';
import { NotFound } from '@palimpsest/knowledge/errors';
import { fleetId, wavesOf, type Fleet, type FleetId, type PlannedFleet } from '@palimpsest/knowledge/fleet';
import type { KnownFleet } from './fleet-progress.ts';
import { maySee } from './fleet-status.ts';

const ID_LENGTH = 12;

export const newFleetId = (ids: System['ids']): FleetId => fleetId(ids.next().replaceAll('-', '').slice(-ID_LENGTH));

/** Who may plan or start a fleet. */
export const roleFor = (allTenants: boolean | undefined): Role => (allTenants === true ? 'operator' : 'admin');

/** @throws NotFound, also for a plan that exists and that the caller may not see */
export const visiblePlan = (
  access: Access,
  id: FleetId,
  known: KnownFleet | undefined,
): Readonly<{ fleet: Fleet & Readonly<{ planned: PlannedFleet }> }> => {
  const planned = known?.fleet.planned;
  if (!known || !planned || !maySee(access, known)) throw new NotFound('plan of a fleet', id);
  return { fleet: { ...known.fleet, planned } };
};

/** Limits of models are for operators, and canary scopes may belong to other tenants. */
export const fleetPlanView = ({ planned, started }: Pick<Fleet, 'started'> & Readonly<{ planned: PlannedFleet }>): FleetPlanView => {
  const { fleet: id, plan, limits: _, embedding: __, chunksOfAll: ___, by, ...figures } = planned;
  const { canary, percents, ...asked } = plan;
  return {
    id,
    ...asked,
    waves: wavesOf({ canary, percents }),
    ...figures,
    plannedBy: by,
    ...(started ? { startedAt: started.startedAt } : {}),
  };
};
