import type { Access } from '../access/access.ts';
import type { DocumentId, KnowledgeBaseId } from '../values/ids.ts';
import type { Limits, RequestKind } from '../values/limits.ts';
import type { Position } from '../values/position.ts';
import type { Strategy } from '../values/strategy.ts';
import type { TenantId } from '../values/tenant.ts';

/** `tier`: whose limits they are, before the tenant's own. */
export type HeldLimits = Readonly<{ tier?: string; limits: Limits }>;

/** Room that is held for something until it is counted where all of it is. Whoever asked for it says what became of it, whatever happens. */
export type Hold = Readonly<{
  /** It is on the log, there. */
  taken: (at: Position) => void;
  /** It did not come to it. */
  givenBack: () => void;
}>;

/** `done`: the retrieval was made, and its trace is on its way to the log. */
export type RetrievalHold = Readonly<{ done: (traceId: string) => void; givenBack: () => void }>;

/** Another strategy was used than the one that was asked for, since the tenant's tier does not include that. */
export type Downgrade = Readonly<{ asked: Strategy; used: Strategy; tier?: string; detail: string }>;

/**
 * What stands between a caller and the work: use cases ask it before they do any. A tenant without limits costs nothing.
 * Nothing that one tenant does changes what another may do.
 */
export interface Admission {
  of(tenant: TenantId): HeldLimits;
  /** Once for each request, however much it brings. @throws RateLimited */
  request(access: Access, kind: RequestKind): Promise<void>;
  /** For a document of so many bytes, new or in the place of the one that is there. @throws QuotaExceeded */
  roomForDocument(tenant: TenantId, id: DocumentId, bytes: number): Promise<Hold>;
  /** For the chunks that a document comes to, in the place of those that it has. @throws QuotaExceeded */
  roomForChunks(tenant: TenantId, id: DocumentId, chunks: number): Promise<Hold>;
  /** @throws QuotaExceeded */
  roomForKnowledgeBase(tenant: TenantId, id: KnowledgeBaseId): Promise<Hold>;
  /** @throws QuotaExceeded */
  roomForRetrieval(tenant: TenantId): Promise<RetrievalHold>;
  /** `open`: streams that it has now. @throws QuotaExceeded */
  liveStream(tenant: TenantId, open: number): void;
  /** Undefined when the tenant may use what it asked for. */
  downgrade(tenant: TenantId, asked: Strategy): Downgrade | undefined;
}

const NO_HOLD: Hold & RetrievalHold = { taken: () => undefined, done: () => undefined, givenBack: () => undefined };

/** Lets everything in. */
export const UNLIMITED: Admission = {
  of: () => ({ limits: {} }),
  request: async () => undefined,
  roomForDocument: async () => NO_HOLD,
  roomForChunks: async () => NO_HOLD,
  roomForKnowledgeBase: async () => NO_HOLD,
  roomForRetrieval: async () => NO_HOLD,
  liveStream: () => undefined,
  downgrade: () => undefined,
};
