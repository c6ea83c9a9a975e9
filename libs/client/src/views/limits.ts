import type { Strategy } from './search.ts';

/** At most `burst` requests in a window of `burst / perSecond` seconds. */
export type Rate = Readonly<{ perSecond: number; burst: number }>;

/** Rates for each kind of request. `writes` are requests that change documents, knowledge bases or scopes. */
export type Rates<None = never> = Readonly<{ search?: Rate | None; context?: Rate | None; writes?: Rate | None }>;

/** The most that a tenant may store or do. */
export type Quotas<None = never> = Readonly<{
  documents?: number | None;
  chunks?: number | None;
  /** Size of the documents as submitted, counting the latest version of each. */
  bytes?: number | None;
  /** Knowledge bases that are not archived. */
  knowledgeBases?: number | None;
  /** Open at the same time, in one process. */
  liveStreams?: number | None;
  /** Counted from midnight UTC. */
  retrievalsPerDay?: number | None;
}>;

/** A missing field means no limit. */
export type Limits = Readonly<{
  /** For all keys of the tenant together. */
  rates?: Rates;
  ratesPerKey?: Rates;
  quotas?: Quotas;
  /** Strategies that searches may use. */
  strategies?: readonly Strategy[];
  /** Share of indexing work, relative to a tenant of weight 1. */
  weight?: number;
  /** Whether retrieval records contain queries and their vectors, sealed under the key of a searched scope. */
  recordQueries?: boolean;
}>;

/** Limits of one tenant that differ from its tier. `null` removes a limit. */
export type LimitOverrides = Readonly<{
  rates?: Rates<null>;
  ratesPerKey?: Rates<null>;
  quotas?: Quotas<null>;
  strategies?: readonly Strategy[] | null;
  weight?: number | null;
  recordQueries?: boolean | null;
}>;

/** Limits and usage of a tenant. `tier`: the tier whose limits apply, before the tenant's own overrides. */
export type UsageView = Readonly<{
  tenant: string;
  tier: string | null;
  limits: Limits;
  use: Readonly<{ documents: number; chunks: number; bytes: number; knowledgeBases: number; retrievalsToday: number; liveStreams: number }>;
}>;

/** `assigned`: the tier and overrides that an operator set for this tenant. */
export type TenantView = UsageView & Readonly<{ assigned: Readonly<{ tier: string | null; overrides: LimitOverrides }> }>;

/** `tier`: name of a tier from the settings. Null or missing: the default tier. */
export type TenantLimits = Readonly<{ tier?: string | null | undefined; overrides?: LimitOverrides | undefined }>;

export type TenantList = Readonly<{ tenants: readonly TenantView[] }>;
