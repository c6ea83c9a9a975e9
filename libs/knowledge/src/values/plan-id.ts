import { InvalidValue } from '../errors.ts';
import type { Branded } from './brand.ts';
import { PATTERNS } from './value-limits.ts';

/** Names a plan within its scope: `p1`, `p2`, … in the order in which they were made. */
export type PlanId = Branded<string, 'PlanId'>;

const PLAN = new RegExp(PATTERNS.planId);

/** @throws InvalidValue */
export const planId = (raw: unknown, field = 'plan'): PlanId => {
  if (typeof raw !== 'string' || !PLAN.test(raw)) throw new InvalidValue(field, 'the id of a plan, for example "p1"', raw);
  return raw as PlanId;
};

/** From 1. */
export const planNumber = (id: PlanId): number => Number(id.slice(1));
