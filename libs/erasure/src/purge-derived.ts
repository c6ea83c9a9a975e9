import { processDocument, reembed } from '@palimpsest/contracts';
import type { ErasureReceipt } from '@palimpsest/contracts/http';
import { Unavailable } from '@palimpsest/knowledge/errors';
import { blobKey, type BlobStore, type MessageBus } from '@palimpsest/knowledge/ports';
import type { ReadModels } from '@palimpsest/knowledge/read-models';
import type { DocumentId, Position, TenantId, VectorScope } from '@palimpsest/knowledge/values';

/** Dead letters that are looked through: all that an installation can have kept. */
const LETTERS = 100_000;
const CAUGHT_UP_MS = 600_000;

/**
 * What contains something that was derived from a scope. `purge`, `forget`: where the read models of searches are in this process.
 * `purgeMinutes`: how long other processes may need.
 */
export type DerivedStores = Readonly<{
  blobs: BlobStore;
  bus: Pick<MessageBus, 'deadLetters' | 'discardDeadLetter'>;
  readModels: Pick<ReadModels, 'reached'>;
  /** Removes from all files of the read models what is not in them any more. Set where searches are answered. */
  purgeReadModels?: () => Promise<void>;
  pastViews?: Readonly<{ forget: (tenant: TenantId) => Promise<void> }>;
  /** From which new processes start; on services. */
  snapshots?: Readonly<{ deleteBefore: (at: Position) => Promise<number> }>;
  /** The caches of embeddings that this process uses. */
  embeddings: Readonly<{ forget: (tenant: TenantId) => Promise<void> }>;
  purgeMinutes: number;
}>;

/** Measured: docs/explanation/erasure.md. */
const QDRANT_KEEPS =
  'keeps the bytes of their vectors until it has written their segment and its write-ahead log again; ' +
  'what it has of titles, sources, labels and words is sealed under the key of the scope, or a keyed digest';

type Removed = ErasureReceipt['removed'][number];
type Job = Readonly<{ scope: VectorScope; documentId?: DocumentId }>;

/**
 * What is purged: uploads, jobs, and what read models have. `at`: where on the log they must have removed it. `copies`: what the
 * receipt says about snapshots and exports.
 */
type Purge = Readonly<{
  tenant: TenantId;
  at: Position;
  uploads: readonly string[];
  isJobOf: (job: Job) => boolean;
  copies: Pick<Removed, 'state' | 'detail'>;
  signal: AbortSignal;
}>;

/** Removes everything that was derived from it, and says what was done to which store. Can be repeated. */
export const purgeDerived = async (stores: DerivedStores, purge: Purge): Promise<readonly Removed[]> => {
  const { tenant, at, uploads, copies, signal } = purge;
  for (const upload of uploads) {
    signal.throwIfAborted();
    await stores.blobs.delete(blobKey(upload));
  }
  const letters = await discardLetters(stores.bus, purge);
  if (!(await stores.readModels.reached(at, CAUGHT_UP_MS, signal)))
    throw new Unavailable('the read models have not reached the erasure yet');
  await stores.pastViews?.forget(tenant);
  await stores.embeddings.forget(tenant);
  await stores.purgeReadModels?.();
  const here = stores.purgeReadModels !== undefined;
  const later = `each process removes its own within ${stores.purgeMinutes} minutes`;
  return [
    { store: 'uploads', state: 'removed', detail: `${uploads.length} files` },
    { store: 'dead letters', state: 'removed', detail: `${letters} failed jobs` },
    {
      store: 'catalog, vectors and words',
      state: 'removed',
      detail: here ? 'the files were deleted or written again' : `${later}; Qdrant deletes the points, and ${QDRANT_KEEPS}`,
    },
    { store: 'moments in the past', state: 'removed', detail: here ? 'all of the tenant' : later },
    { store: 'caches of embeddings', state: 'removed', detail: 'all of the tenant, in this process and in Redis if it is used' },
    { store: 'snapshots, exports and records of searches', ...copies },
  ];
};

const discardLetters = async (bus: DerivedStores['bus'], purge: Purge): Promise<number> => {
  let discarded = 0;
  for (const { id, message } of await bus.deadLetters({ limit: LETTERS }))
    if (isOf(message.body, purge) && (await bus.discardDeadLetter(id))) discarded += 1;
  return discarded;
};

const isOf = (body: string, { tenant, isJobOf }: Purge): boolean => {
  let json: unknown;
  try {
    json = JSON.parse(body);
  } catch {
    return false;
  }
  const job = [processDocument, reembed].map((schema) => schema.safeParse(json)).find(({ success }) => success)?.data;
  return job?.tenant === tenant && isJobOf(job);
};
