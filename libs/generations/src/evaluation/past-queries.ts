import { PastRetrievals, RecordedRequests, type Journal } from '@palimpsest/contracts';
import { Conflict, Corrupt } from '@palimpsest/knowledge/errors';
import { ScopeKeyDestroyed } from '@palimpsest/knowledge/ports';
import type { PermittedScope } from '@palimpsest/knowledge/access';
import type { QueryWindow } from '@palimpsest/knowledge/evaluation';
import type { RetrievalRecordData } from '@palimpsest/knowledge/events';
import { asOf } from '@palimpsest/knowledge/past';
import type { QuotaPolicy } from '@palimpsest/knowledge/limits';
import type { ScopeKeys } from '@palimpsest/knowledge/ports';

/** A query that a caller asked earlier. `traceId`: its newest record; `minScore`: what the caller set then. */
export type PastQuery = Readonly<{ traceId: string; text: string; minScore?: number }>;
/** `leftOut`: records of searches of the scope whose query is not recorded, or no longer opens. */
export type PastQueries = Readonly<{ queries: readonly PastQuery[]; leftOut: number }>;

export type PastQueriesPorts = Readonly<{ journal: Journal; keys: ScopeKeys; quotaPolicy: Pick<QuotaPolicy, 'of'> }>;

/**
 * Events of the tenant that are read at most, about 50 MB: so an evaluation reads for seconds, however many records the tenant has. It is
 * 25 times the default number of queries, which leaves room for repeated queries and other scopes.
 */
export const MAX_RECORDS_READ = 10_000;

/**
 * The queries of the window that searched this scope by vectors, the newest first, each text once. Undefined unless the tenant lets the platform record
 * queries now: without this consent, earlier records are not used either.
 */
export const pastQueries = async (
  { journal, keys, quotaPolicy }: PastQueriesPorts,
  { tenant, scope }: PermittedScope,
  { max, window = {}, signal }: Readonly<{ max: number; window?: QueryWindow; signal: AbortSignal }>,
): Promise<PastQueries | undefined> => {
  if (quotaPolicy.of(tenant).limits.recordQueries !== true) return undefined;
  const requests = new RecordedRequests(keys, tenant);
  const digests = new Set<string>();
  const queries = new Map<string, PastQuery>();
  let leftOut = 0;
  const { after, before } = window;
  const asked = {
    ...(after === undefined ? {} : { after: asOf(after) }),
    ...(before === undefined ? {} : { before: asOf(before) }),
    scopes: [scope],
  };
  for await (const record of new PastRetrievals(journal, tenant, asked, { maxRead: MAX_RECORDS_READ })) {
    signal.throwIfAborted();
    const { traceId, strategy, keyScope, queryHash, minScore } = record;
    // A query that was searched by words only says nothing about a model.
    if (strategy === 'SparseOnly') continue;
    // Digests are keyed by scope: equal ones are known before anything is opened.
    const digest = `${keyScope ?? ''} ${queryHash}`;
    if (digests.has(digest)) continue;
    const text = await textOf(requests, record);
    if (text === undefined) {
      leftOut++;
      continue;
    }
    digests.add(digest);
    if (!queries.has(text)) queries.set(text, { traceId, text, ...(minScore === undefined ? {} : { minScore }) });
    if (queries.size === max) break;
  }
  return { queries: [...queries.values()], leftOut };
};

/** Undefined if it was not recorded, or if it no longer opens. @throws Unavailable if the keys cannot be read now */
const textOf = async (requests: RecordedRequests, record: RetrievalRecordData): Promise<string | undefined> => {
  try {
    return (await requests.open(record)).sealed.query;
  } catch (error) {
    if (error instanceof Conflict || error instanceof Corrupt || error instanceof ScopeKeyDestroyed) return undefined;
    throw error;
  }
};
