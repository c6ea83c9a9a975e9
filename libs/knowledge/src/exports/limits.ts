export {
  NO_TIERS,
  QUOTAS,
  REQUEST_KINDS,
  allowedStrategy,
  windowOf,
  withOverrides,
  type LimitOverrides,
  type Limits,
  type QuotaName,
  type Rate,
  type RequestKind,
  type TenantUse,
  type Tiers,
} from '../values/limits.ts';
export {
  UNLIMITED,
  type QuotaPolicy,
  type Downgrade,
  type EffectiveLimits,
  type Reservation,
  type RetrievalReservation,
} from '../ports/quota-policy.ts';
export type { BucketRule, BucketState, RateBuckets } from '../ports/rate-buckets.ts';
