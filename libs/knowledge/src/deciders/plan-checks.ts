import type { PlanAuthor } from '../events/plan-events.ts';
import type { ModelLimits } from '../values/model.ts';

/** What a plan depends on, in addition to the model. */
export type ModelTerms = Readonly<{ limits: ModelLimits; pricePerMillionTokens?: number }>;

/** After this time, prices, speed and the scopes themselves are no longer those of the plan. */
const MAX_AGE_DAYS = 7;
/** Scopes that grew or shrank by more than this share are not those that were planned. */
const MAX_CHANGE = 0.2;
const DAY_MS = 86_400_000;

/** Why a plan of this age does not hold any more. */
export const tooOld = (plannedAt: string, now: string): string | undefined => {
  const age = (Date.parse(now) - Date.parse(plannedAt)) / DAY_MS;
  return age > MAX_AGE_DAYS ? `is ${Math.floor(age)} days old, and a plan holds for ${MAX_AGE_DAYS} days` : undefined;
};

export const isOtherSize = (planned: number, chunks: number): boolean => Math.abs(chunks - planned) > MAX_CHANGE * planned;

/** Why a plan does not hold for the present price and limits of its model. */
export const otherTerms = (planned: ModelTerms, now: ModelTerms, version: string): string | undefined => {
  const { pricePerMillionTokens: was } = planned;
  if (was !== now.pricePerMillionTokens)
    return `was made when the price of the model was ${was ?? 'unknown'}; it is ${now.pricePerMillionTokens ?? 'unknown'} now`;
  return isSame(planned.limits, now.limits) ? undefined : `was made with other limits of the model ${version}`;
};

/** A person may have several keys; a key without a person counts as one. */
export const isSamePerson = (a: PlanAuthor, b: PlanAuthor): boolean => a.actor === b.actor || (a.user !== undefined && a.user === b.user);

/** Independent of the order of fields. */
export const isSame = (a: unknown, b: unknown): boolean => {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b;
  const [left, right] = [new Map(Object.entries(a)), new Map(Object.entries(b))];
  return left.size === right.size && [...left].every(([name, value]) => right.has(name) && isSame(value, right.get(name)));
};
