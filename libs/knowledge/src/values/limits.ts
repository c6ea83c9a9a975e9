import type { Strategy } from './strategy.ts';

/** Kinds of requests that are counted apart. `writes`: whatever changes documents, knowledge bases or scopes. */
export const REQUEST_KINDS = ['search', 'context', 'writes'] as const;
export type RequestKind = (typeof REQUEST_KINDS)[number];

/** What a tenant may have, or do, at most. `bytes`: of its documents as they were handed in, the latest version of each. */
export const QUOTAS = ['documents', 'chunks', 'bytes', 'knowledgeBases', 'liveStreams', 'retrievalsPerDay'] as const;
export type QuotaName = (typeof QUOTAS)[number];

/** `burst` requests in a window of `burst / perSecond` seconds, which is a whole number of them. */
export type Rate = Readonly<{ perSecond: number; burst: number }>;

export type Rates<None = never> = Readonly<Partial<Record<RequestKind, Rate | None>>>;
export type Quotas<None = never> = Readonly<Partial<Record<QuotaName, number | None>>>;

/** What a tier allows. What is not there has no limit. `None`: how it is said that a limit of the tier does not hold. */
type LimitsOr<None> = Readonly<{
  /** Of all keys of the tenant together. */
  rates?: Rates<None>;
  /** Of each of its keys. */
  ratesPerKey?: Rates<None>;
  quotas?: Quotas<None>;
  strategies?: readonly Strategy[] | None;
  /** Turns that its documents get for each turn of a tenant of weight 1, where documents wait; a whole number, 1 unless it is there. */
  weight?: number | None;
}>;

export type Limits = LimitsOr<never>;
/** What is otherwise for one tenant: `null` lifts the limit of its tier. */
export type LimitOverrides = LimitsOr<null>;

/** Tiers by their names, and the one of tenants that have none; without it they are not limited. */
export type Tiers = Readonly<{ default?: string; tiers: Readonly<Record<string, Limits>> }>;
export const NO_TIERS: Tiers = { tiers: {} };

/** What a tenant has. */
export type TenantUse = Readonly<{ documents: number; chunks: number; bytes: number; knowledgeBases: number }>;

/** Seconds. */
export const windowOf = ({ perSecond, burst }: Rate): number => Math.max(1, Math.round(burst / perSecond));

type Entries<T> = Readonly<Record<string, T | null | undefined>>;

const merged = <T>(tier: Entries<T> = {}, overrides: Entries<T> = {}): Record<string, T> =>
  Object.fromEntries(Object.entries({ ...tier, ...overrides }).filter((entry): entry is [string, T] => entry[1] !== null && entry[1] !== undefined));

const part = <Name extends keyof Limits>(name: Name, value: object): Pick<Limits, Name> | object => (Object.keys(value).length === 0 ? {} : { [name]: value });

/** A tier's limits as they hold for a tenant that has some of its own. */
export const withOverrides = (tier: Limits, { rates, ratesPerKey, quotas, strategies, weight }: LimitOverrides): Limits => ({
  ...part('rates', merged<Rate>(tier.rates, rates)),
  ...part('ratesPerKey', merged<Rate>(tier.ratesPerKey, ratesPerKey)),
  ...part('quotas', merged<number>(tier.quotas, quotas)),
  ...merged<unknown>({ strategies: tier.strategies, weight: tier.weight }, { ...(strategies === undefined ? {} : { strategies }), ...(weight === undefined ? {} : { weight }) }),
});

/** The strategy that was asked for, or else the best that is allowed. */
export const allowedStrategy = (asked: Strategy, allowed: readonly Strategy[] | undefined, all: readonly Strategy[]): Strategy =>
  allowed === undefined || allowed.includes(asked) ? asked : (all.find((strategy) => allowed.includes(strategy)) ?? asked);
