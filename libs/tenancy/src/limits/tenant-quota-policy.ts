import { QuotaExceeded, RateLimited } from '@palimpsest/knowledge/errors';
import { allowedStrategy, windowOf } from '@palimpsest/knowledge/limits';
import { STRATEGIES } from '@palimpsest/knowledge/values';
import type { Access } from '@palimpsest/knowledge/access';
import type {
  QuotaPolicy,
  Downgrade,
  EffectiveLimits,
  Reservation,
  Limits,
  RateBuckets,
  RequestKind,
  RetrievalReservation,
  TenantUse,
} from '@palimpsest/knowledge/limits';
import type { DocumentId, KnowledgeBaseId, Strategy, TenantId } from '@palimpsest/knowledge/values';
import type { QuotaLedger } from './quota-ledger.ts';
import type { DailyRetrievalCounter } from './daily-retrieval-counter.ts';
import { settleOnce } from './settle-once.ts';
import type { TenantLimits } from './tenant-limits.ts';

/** A rate window that counted the request, for response headers. */
export type CountedIn = Readonly<{ policy: string; limit: number; windowSeconds: number; remaining: number; resetSeconds: number }>;

export type TenantUsage = EffectiveLimits & Readonly<{ use: TenantUse & Readonly<{ retrievalsToday: number }> }>;

type Parts = Readonly<{ limits: TenantLimits; room: QuotaLedger; retrievals: DailyRetrievalCounter; buckets: RateBuckets }>;

const NO_RETRIEVAL_RESERVATION: RetrievalReservation = { commit: () => undefined, release: () => undefined };

/** Compares the limits of tenants with their usage. */
export class TenantQuotaPolicy implements QuotaPolicy {
  readonly limits: TenantLimits;
  readonly #parts: Parts;
  readonly #counted = new WeakMap<Access, CountedIn[]>();
  /** Retrievals in progress. */
  readonly #inProgress = new Map<TenantId, number>();

  constructor(parts: Parts) {
    this.limits = parts.limits;
    this.#parts = parts;
  }

  of(tenant: TenantId): EffectiveLimits {
    return this.limits.of(tenant);
  }

  async request(access: Access, kind: RequestKind): Promise<void> {
    for (const { policy, rate, key, whose } of ratesFor(access, kind, this.of(access.tenant).limits)) {
      const rule = { limit: rate.burst, windowSeconds: windowOf(rate) };
      const { allowed, remaining, resetMs } = await this.#parts.buckets.take(key, rule);
      const resetSeconds = Math.max(1, Math.ceil(resetMs / 1_000));
      const counted = this.#counted.get(access) ?? [];
      counted.push({ policy, ...rule, remaining, resetSeconds });
      this.#counted.set(access, counted);
      if (!allowed)
        throw new RateLimited(
          `rate limit exceeded: ${rule.limit} ${WORDS[kind]} per ${rule.windowSeconds} s for ${whose}; retry in ${resetSeconds} s`,
          resetSeconds,
        );
    }
  }

  /** The windows that counted this request; empty without limits. */
  countedIn(access: Access): readonly CountedIn[] {
    return this.#counted.get(access) ?? [];
  }

  reserveDocument(tenant: TenantId, document: DocumentId, bytes: number): Promise<Reservation> {
    return this.#parts.room.reserve(tenant, this.of(tenant), { document, bytes });
  }

  reserveChunks(tenant: TenantId, document: DocumentId, chunks: number): Promise<Reservation> {
    return this.#parts.room.reserve(tenant, this.of(tenant), { document, chunks });
  }

  reserveKnowledgeBase(tenant: TenantId, knowledgeBase: KnowledgeBaseId): Promise<Reservation> {
    return this.#parts.room.reserve(tenant, this.of(tenant), { knowledgeBase });
  }

  async reserveRetrieval(tenant: TenantId): Promise<RetrievalReservation> {
    const {
      limits: { quotas = {} },
      tier,
    } = this.of(tenant);
    const allowed = quotas.retrievalsPerDay;
    if (allowed === undefined) return NO_RETRIEVAL_RESERVATION;
    const { retrievals } = this.#parts;
    const recorded = await retrievals.count(tenant);
    // No await from here on, so that concurrent requests cannot exceed the limit.
    const inProgress = this.#inProgress.get(tenant) ?? 0;
    const used = recorded + inProgress;
    if (used >= allowed)
      throw new QuotaExceeded(
        { limit: 'retrievalsPerDay', allowed, used, ...(tier === undefined ? {} : { tier }) },
        '1 more requested; the count resets at midnight UTC',
        retrievals.untilTomorrow(),
      );
    this.#inProgress.set(tenant, inProgress + 1);
    const ended = (): void => {
      const left = (this.#inProgress.get(tenant) ?? 1) - 1;
      if (left > 0) this.#inProgress.set(tenant, left);
      else this.#inProgress.delete(tenant);
    };
    return settleOnce((traceId: string) => {
      retrievals.retrieved(tenant, traceId);
      ended();
    }, ended);
  }

  liveStream(tenant: TenantId, open: number): void {
    const {
      limits: { quotas = {} },
      tier,
    } = this.of(tenant);
    const allowed = quotas.liveStreams;
    if (allowed !== undefined && open >= allowed)
      throw new QuotaExceeded({ limit: 'liveStreams', allowed, used: open, ...(tier === undefined ? {} : { tier }) }, '1 more requested');
  }

  downgrade(tenant: TenantId, requested: Strategy): Downgrade | undefined {
    const {
      limits: { strategies },
      tier,
    } = this.of(tenant);
    const used = allowedStrategy(requested, strategies, STRATEGIES);
    if (used === requested) return undefined;
    return {
      asked: requested,
      used,
      ...(tier === undefined ? {} : { tier }),
      detail: `${tier === undefined ? 'This tenant' : `The tier "${tier}"`} does not include ${requested}; ${used} was used.`,
    };
  }

  async usage(tenant: TenantId): Promise<TenantUsage> {
    const { room, retrievals } = this.#parts;
    return { ...this.of(tenant), use: { ...(await room.used(tenant)), retrievalsToday: await retrievals.count(tenant) } };
  }

  async stop(): Promise<void> {
    await this.limits.stop();
    await this.#parts.retrievals.stop();
  }
}

const WORDS: Readonly<Record<RequestKind, string>> = { search: 'searches', context: 'context requests', writes: 'writes' };

/** The key is checked first, so that a misbehaving key uses up its own window and not that of the tenant. */
const ratesFor = ({ tenant, actor }: Access, kind: RequestKind, { rates, ratesPerKey }: Limits) =>
  [
    { policy: `${kind}-key`, rate: ratesPerKey?.[kind], key: `${kind}/${tenant}/${actor}`, whose: 'this API key' },
    { policy: kind, rate: rates?.[kind], key: `${kind}/${tenant}`, whose: 'this tenant' },
  ].flatMap(({ rate, ...about }) => (rate === undefined ? [] : [{ ...about, rate }]));
