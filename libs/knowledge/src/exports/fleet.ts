export type * from '../events/fleet-events.ts';
export {
  fleet,
  isOver,
  wavesOf,
  type Fleet,
  type FleetCommand,
  type FleetPause,
  type FleetPlan,
  type FleetRetirement,
  type FleetStage,
} from '../deciders/fleet.ts';
export { fleetStream } from '../streams.ts';
export { FLEET_LIMITS, fleetId, type FleetId } from '../values/fleet.ts';
