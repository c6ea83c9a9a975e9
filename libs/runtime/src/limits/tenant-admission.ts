import { allowedStrategy, QuotaExceeded, RateLimited, STRATEGIES, windowOf } from '@palimpsest/knowledge';
import type {
  Access, Admission, DocumentId, Downgrade, HeldLimits, Hold, KnowledgeBaseId, Limits, RateBuckets, RequestKind, RetrievalHold, Strategy, TenantId, TenantUse,
} from '@palimpsest/knowledge';
import type { QuotaRoom } from './quota-room.ts';
import type { RetrievalsToday } from './retrievals-today.ts';
import type { TenantLimits } from './tenant-limits.ts';

/** One of the windows that a request was counted in, for those who tell its caller. */
export type CountedIn = Readonly<{ policy: string; limit: number; windowSeconds: number; remaining: number; resetSeconds: number }>;

export type TenantUsage = HeldLimits & Readonly<{ use: TenantUse & Readonly<{ retrievalsToday: number }> }>;

type Parts = Readonly<{ limits: TenantLimits; room: QuotaRoom; retrievals: RetrievalsToday; buckets: RateBuckets }>;

const NO_RETRIEVAL_HELD: RetrievalHold = { done: () => undefined, givenBack: () => undefined };

/** What tenants may do, as tiers and the log say it, held against what they do. */
export class TenantAdmission implements Admission {
  readonly limits: TenantLimits;
  readonly #parts: Parts;
  readonly #counted = new WeakMap<Access, CountedIn[]>();
  /** Retrievals under way. */
  readonly #underWay = new Map<TenantId, number>();

  constructor(parts: Parts) {
    this.limits = parts.limits;
    this.#parts = parts;
  }

  of(tenant: TenantId): HeldLimits {
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
      if (!allowed) throw new RateLimited(`${whose} may make ${rule.limit} ${WORDS[kind]} in ${rule.windowSeconds} s: come again in ${resetSeconds} s`, resetSeconds);
    }
  }

  /** The windows that the requests of this caller were counted in; nothing where it has no limits. */
  countedIn(access: Access): readonly CountedIn[] {
    return this.#counted.get(access) ?? [];
  }

  roomForDocument(tenant: TenantId, document: DocumentId, bytes: number): Promise<Hold> {
    return this.#parts.room.take(tenant, this.of(tenant), { document, bytes });
  }

  roomForChunks(tenant: TenantId, document: DocumentId, chunks: number): Promise<Hold> {
    return this.#parts.room.take(tenant, this.of(tenant), { document, chunks });
  }

  roomForKnowledgeBase(tenant: TenantId, knowledgeBase: KnowledgeBaseId): Promise<Hold> {
    return this.#parts.room.take(tenant, this.of(tenant), { knowledgeBase });
  }

  async roomForRetrieval(tenant: TenantId): Promise<RetrievalHold> {
    const { limits: { quotas = {} }, tier } = this.of(tenant);
    const allowed = quotas.retrievalsPerDay;
    if (allowed === undefined) return NO_RETRIEVAL_HELD;
    const { retrievals } = this.#parts;
    const recorded = await retrievals.count(tenant);
    // Nothing is awaited from here on, so none slips through in between.
    const underWay = this.#underWay.get(tenant) ?? 0;
    const used = recorded + underWay;
    if (used >= allowed) throw new QuotaExceeded({ limit: 'retrievalsPerDay', allowed, used, ...(tier === undefined ? {} : { tier }) }, 'one more is asked for; they count from midnight UTC', retrievals.untilTomorrow());
    this.#underWay.set(tenant, underWay + 1);
    const ended = (): void => {
      const left = (this.#underWay.get(tenant) ?? 1) - 1;
      if (left > 0) this.#underWay.set(tenant, left);
      else this.#underWay.delete(tenant);
    };
    return {
      givenBack: ended,
      done: (traceId) => {
        retrievals.made(tenant, traceId);
        ended();
      },
    };
  }

  liveStream(tenant: TenantId, open: number): void {
    const { limits: { quotas = {} }, tier } = this.of(tenant);
    const allowed = quotas.liveStreams;
    if (allowed !== undefined && open >= allowed) throw new QuotaExceeded({ limit: 'liveStreams', allowed, used: open, ...(tier === undefined ? {} : { tier }) }, 'one more is asked for');
  }

  downgrade(tenant: TenantId, asked: Strategy): Downgrade | undefined {
    const { limits: { strategies }, tier } = this.of(tenant);
    const used = allowedStrategy(asked, strategies, STRATEGIES);
    if (used === asked) return undefined;
    return { asked, used, ...(tier === undefined ? {} : { tier }), detail: `${tier === undefined ? 'This tenant' : `The tier "${tier}"`} does not include ${asked}: ${used} was used.` };
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

const WORDS: Readonly<Record<RequestKind, string>> = { search: 'searches', context: 'requests for context', writes: 'writes' };

/** The key first: one that runs wild uses up its own window, and not that of its tenant. */
const ratesFor = ({ tenant, actor }: Access, kind: RequestKind, { rates, ratesPerKey }: Limits) =>
  [
    { policy: `${kind}-key`, rate: ratesPerKey?.[kind], key: `${kind}/${tenant}/${actor}`, whose: 'a key' },
    { policy: kind, rate: rates?.[kind], key: `${kind}/${tenant}`, whose: 'the tenant' },
  ].flatMap(({ rate, ...about }) => (rate === undefined ? [] : [{ ...about, rate }]));
