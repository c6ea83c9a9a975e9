import type { Strategy } from './strategy.ts';

/** Kinds of requests with separate rate limits. `writes`: requests that change documents, knowledge bases or scopes. */
export const REQUEST_KINDS = ['search', 'context', 'writes'] as const;
export type RequestKind = (typeof REQUEST_KINDS)[number];

/** What quotas limit. `bytes`: the size of the uploaded files, latest version of each document. */
export const QUOTAS = ['documents', 'chunks', 'bytes', 'knowledgeBases', 'liveStreams', 'retrievalsPerDay'] as const;
export type QuotaName = (typeof QUOTAS)[number];

/** At most `burst` requests in a window of `burst / perSecond` seconds, which is a whole number. */
export type Rate = Readonly<{ perSecond: number; burst: number }>;

export type Rates<None = never> = Readonly<Partial<Record<RequestKind, Rate | None>>>;
export type Quotas<None = never> = Readonly<Partial<Record<QuotaName, number | None>>>;

/** The limits of a tier. A missing field means no limit. `None` is the value that lifts a limit of the tier. */
type LimitsOr<None> = Readonly<{
  /** For all keys of the tenant together. */
  rates?: Rates<None>;
  /** For each key. */
  ratesPerKey?: Rates<None>;
  quotas?: Quotas<None>;
  strategies?: readonly Strategy[] | None;
  /** Share of the indexing capacity, relative to a tenant of weight 1, while documents queue. A whole number; default 1. */
  weight?: number | None;
  /**
   * Whether retrieval records contain the query and its vectors, sealed under the key of a searched scope. Without it only a keyed digest
   * is recorded.
   */
  recordQueries?: boolean | None;
}>;

export type Limits = LimitsOr<never>;
/** Deviations of one tenant from its tier. `null` lifts the limit of the tier. */
export type LimitOverrides = LimitsOr<null>;

/** Tiers by name. `default` applies to tenants without a tier; without it they have no limits. */
export type Tiers = Readonly<{ default?: string; tiers: Readonly<Record<string, Limits>> }>;
export const NO_TIERS: Tiers = { tiers: {} };

/** Current usage of a tenant. */
export type TenantUse = Readonly<{ documents: number; chunks: number; bytes: number; knowledgeBases: number }>;

/** Length of the window in seconds. */
export const windowOf = ({ perSecond, burst }: Rate): number => Math.max(1, Math.round(burst / perSecond));

type Entries<T> = Readonly<Record<string, T | null | undefined>>;

const merged = <T>(tier: Entries<T> = {}, overrides: Entries<T> = {}): Record<string, T> =>
  Object.fromEntries(
    Object.entries({ ...tier, ...overrides }).filter((entry): entry is [string, T] => entry[1] !== null && entry[1] !== undefined),
  );

const given = (values: Entries<unknown>): Entries<unknown> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));

const part = <Name extends keyof Limits>(name: Name, value: object): Pick<Limits, Name> | object =>
  Object.keys(value).length === 0 ? {} : { [name]: value };

/** The limits of a tier with the overrides of a tenant applied. */
export const withOverrides = (tier: Limits, { rates, ratesPerKey, quotas, ...others }: LimitOverrides): Limits => ({
  ...part('rates', merged<Rate>(tier.rates, rates)),
  ...part('ratesPerKey', merged<Rate>(tier.ratesPerKey, ratesPerKey)),
  ...part('quotas', merged<number>(tier.quotas, quotas)),
  ...merged<unknown>({ strategies: tier.strategies, weight: tier.weight, recordQueries: tier.recordQueries }, given(others)),
});

/** The requested strategy if it is allowed, otherwise the best one that is. */
export const allowedStrategy = (requested: Strategy, allowed: readonly Strategy[] | undefined, all: readonly Strategy[]): Strategy =>
  allowed === undefined || allowed.includes(requested) ? requested : (all.find((strategy) => allowed.includes(strategy)) ?? requested);
