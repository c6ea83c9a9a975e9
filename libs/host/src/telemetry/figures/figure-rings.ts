import type { TenantId } from '@palimpsest/knowledge';
import type { Bucket } from './bucket.ts';
import { BucketRing } from './bucket-ring.ts';

/** The sliding window of a health report, second by second, with the one that is being filled; and 15 minutes for the charts. */
export const WINDOW_SECONDS = 60;
export const SERIES_SECONDS = 10;
const SERIES_BUCKETS = 90;
/** Tenants whose figures are kept; of more, those that did nothing for longest are forgotten. */
export const MAX_TENANTS = 1_000;

/** What happened in the last minute and in the last 15. */
export class FigureRings {
  readonly window: BucketRing;
  readonly series: BucketRing;

  constructor(now: () => number) {
    this.window = new BucketRing(1_000, WINDOW_SECONDS + 1, now);
    this.series = new BucketRing(SERIES_SECONDS * 1_000, SERIES_BUCKETS, now);
  }

  note(what: (bucket: Bucket) => void): void {
    what(this.window.current());
    what(this.series.current());
  }
}

/** The rings of each tenant that did something lately. */
export class TenantRings {
  readonly #now: () => number;
  /** A map keeps the order of insertion: the first tenant is the one that did nothing for longest. */
  readonly #rings = new Map<TenantId, FigureRings>();

  constructor(now: () => number) {
    this.#now = now;
  }

  get count(): number {
    return this.#rings.size;
  }

  note(tenant: TenantId, what: (bucket: Bucket) => void): void {
    const rings = this.of(tenant);
    this.#rings.delete(tenant);
    this.#rings.set(tenant, rings);
    rings.note(what);
    const [idle] = this.#rings.keys();
    if (this.#rings.size > MAX_TENANTS && idle !== undefined) this.#rings.delete(idle);
  }

  /** Empty ones for a tenant that did nothing. */
  of(tenant: TenantId): FigureRings {
    return this.#rings.get(tenant) ?? new FigureRings(this.#now);
  }
}
