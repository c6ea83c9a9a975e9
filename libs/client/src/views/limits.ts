import type { Strategy } from './search.ts';

/** `burst` requests in a window of `burst / perSecond` seconds. */
export type Rate = Readonly<{ perSecond: number; burst: number }>;

/** Requests of each kind; `writes` changes documents, knowledge bases or scopes. */
export type Rates<None = never> = Readonly<{ search?: Rate | None; context?: Rate | None; writes?: Rate | None }>;

/** What a tenant may have, or do, at most. */
export type Quotas<None = never> = Readonly<{
  documents?: number | None;
  chunks?: number | None;
  /** Of documents as they were handed in, the latest version of each. */
  bytes?: number | None;
  /** Those that are not archived. */
  knowledgeBases?: number | None;
  /** At a time, in one process. */
  liveStreams?: number | None;
  /** From midnight UTC. */
  retrievalsPerDay?: number | None;
}>;

/** What is not there has no limit. */
export type Limits = Readonly<{
  /** Of all keys of the tenant together. */
  rates?: Rates;
  ratesPerKey?: Rates;
  quotas?: Quotas;
  /** Those that searches may use. */
  strategies?: readonly Strategy[];
  /** Turns at indexing for each turn of a tenant of weight 1. */
  weight?: number;
}>;

/** What is otherwise for one tenant than in its tier; `null` lifts a limit. */
export type LimitOverrides = Readonly<{
  rates?: Rates<null>;
  ratesPerKey?: Rates<null>;
  quotas?: Quotas<null>;
  strategies?: readonly Strategy[] | null;
  weight?: number | null;
}>;

/** What a tenant may use, and what it does use. `tier`: whose limits they are, before the tenant's own. */
export type UsageView = Readonly<{
  tenant: string;
  tier: string | null;
  limits: Limits;
  use: Readonly<{ documents: number; chunks: number; bytes: number; knowledgeBases: number; retrievalsToday: number; liveStreams: number }>;
}>;

/** `assigned`: what an operator set for this tenant. */
export type TenantView = UsageView & Readonly<{ assigned: Readonly<{ tier: string | null; overrides: LimitOverrides }> }>;

/** `tier`: a name of the settings; null, or nothing, for the usual one. */
export type TenantLimits = Readonly<{ tier?: string | null | undefined; overrides?: LimitOverrides | undefined }>;

export type TenantList = Readonly<{ tenants: readonly TenantView[] }>;
