import { InvalidValue } from '../errors.ts';
import type { Branded } from './brand.ts';
import { PATTERNS } from './value-limits.ts';

/** Names a fleet in paths, commands and correlation ids. */
export type FleetId = Branded<string, 'FleetId'>;

const FLEET_ID = new RegExp(PATTERNS.fleetId);

/** @throws InvalidValue */
export const fleetId = (raw: unknown, field = 'fleet'): FleetId => {
  if (typeof raw !== 'string' || !FLEET_ID.test(raw)) throw new InvalidValue(field, 'the id of a fleet: 12 characters of 0-9, a-f', raw);
  return raw as FleetId;
};

/** `canary`: named scopes. `waves`: waves in addition to that of the canary scopes. `scopesAtOnce`: swaps that a fleet has at the same time. */
export const FLEET_LIMITS = { canary: 100, waves: 20, scopesAtOnce: 100, reason: 500 } as const;
