import type { Access } from '../access/access.ts';
import type { DocumentId, KnowledgeBaseId } from '../values/ids.ts';
import type { Limits, RequestKind } from '../values/limits.ts';
import type { Position } from '../values/position.ts';
import type { Strategy } from '../values/strategy.ts';
import type { TenantId } from '../values/tenant.ts';

/** `tier`: the tier that the limits come from, before the overrides of the tenant. */
export type EffectiveLimits = Readonly<{ tier?: string; limits: Limits }>;

/**
 * Quota that is held until the catalog counts the resource. The holder must always call `commit` or `release`; only the first of these
 * calls has an effect.
 */
export type Reservation = Readonly<{
  /** The resource was recorded on the log at this position. */
  commit: (at: Position) => void;
  /** The resource was not created. */
  release: () => void;
}>;

/** Like `Reservation`. `commit`: the retrieval was executed, and its record is being written to the log. */
export type RetrievalReservation = Readonly<{ commit: (traceId: string) => void; release: () => void }>;

/** The search used another strategy than requested, because the tier of the tenant does not include the requested one. */
export type Downgrade = Readonly<{ asked: Strategy; used: Strategy; tier?: string; detail: string }>;

/**
 * Checks rates and quotas before a use case does any work. Tenants without limits cause no overhead. Promises, all checked by
 * `describeQuotaPolicy`:
 * - a window admits as many requests of a kind as its burst allows, of each key and of the tenant; further ones throw, with a retry time;
 * - reservations never exceed a quota, also if they are concurrent: a refused one reserves nothing and reports the quota and its usage;
 * - a reservation counts once, from `reserve…` until `release`, or until the catalog counts the committed resource; a resource that is
 *   reserved twice counts once, and a new version of a document counts by its growth;
 * - a search uses another strategy only if the requested one is not allowed, and then an allowed one;
 * - the usage of one tenant never affects the limits of another;
 * - a tenant without limits is never refused.
 */
export interface QuotaPolicy {
  of(tenant: TenantId): EffectiveLimits;
  /** Called once per request, independent of its size. @throws RateLimited */
  request(access: Access, kind: RequestKind): Promise<void>;
  /** Reserves quota for a document of `bytes` bytes: a new one, or a new version of an existing one. @throws QuotaExceeded */
  reserveDocument(tenant: TenantId, id: DocumentId, bytes: number): Promise<Reservation>;
  /** Reserves quota for the chunks of a document, which replace its current chunks. @throws QuotaExceeded */
  reserveChunks(tenant: TenantId, id: DocumentId, chunks: number): Promise<Reservation>;
  /** @throws QuotaExceeded */
  reserveKnowledgeBase(tenant: TenantId, id: KnowledgeBaseId): Promise<Reservation>;
  /** @throws QuotaExceeded */
  reserveRetrieval(tenant: TenantId): Promise<RetrievalReservation>;
  /** `open`: number of streams that the tenant has open. @throws QuotaExceeded */
  liveStream(tenant: TenantId, open: number): void;
  /** Returns undefined if the tenant may use the requested strategy. */
  downgrade(tenant: TenantId, requested: Strategy): Downgrade | undefined;
}

const NO_RESERVATION: Reservation & RetrievalReservation = { commit: () => undefined, release: () => undefined };

/** Applies no limits. */
export const UNLIMITED: QuotaPolicy = {
  of: () => ({ limits: {} }),
  request: async () => undefined,
  reserveDocument: async () => NO_RESERVATION,
  reserveChunks: async () => NO_RESERVATION,
  reserveKnowledgeBase: async () => NO_RESERVATION,
  reserveRetrieval: async () => NO_RESERVATION,
  liveStream: () => undefined,
  downgrade: () => undefined,
};
