import type { TenantId } from '@palimpsest/knowledge/values';
import type { Bucket } from './bucket.ts';
import { BucketRing } from './bucket-ring.ts';

/** The sliding window of a health report, in buckets of one second, and the 15 minutes of the charts, in buckets of ten seconds. */
export const WINDOW_SECONDS = 60;
export const SERIES_SECONDS = 10;
const SERIES_BUCKETS = 90;
/** Maximum number of tenants whose figures are kept; beyond it, those that were idle for longest are dropped. */
export const MAX_TENANTS = 1_000;

/** The figures of the last minute and of the last 15 minutes. */
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

/** The rings of recently active tenants. */
export class TenantRings {
  readonly #now: () => number;
  /** A map keeps the order of insertion: the first tenant was idle for longest. */
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

  /** The rings of a tenant; empty if it was not active. */
  of(tenant: TenantId): FigureRings {
    return this.#rings.get(tenant) ?? new FigureRings(this.#now);
  }
}
