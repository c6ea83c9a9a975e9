export type * from '../events/fleet-events.ts';
export {
  fleet,
  isOver,
  refuseWaves,
  wavesOf,
  type Fleet,
  type FleetCommand,
  type FleetPause,
  type FleetRetirement,
  type FleetStage,
} from '../deciders/fleet.ts';
export type { FleetPlanFigures, PlannedFleet, PlannedFleetStart } from '../deciders/fleet-plan.ts';
export { fleetStream } from '../streams.ts';
export { FLEET_LIMITS, fleetId, type FleetId } from '../values/fleet.ts';
