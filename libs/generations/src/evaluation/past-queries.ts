import { openRequest, type Journal } from '@palimpsest/contracts';
import { retrievalStream } from '@palimpsest/knowledge/deciders';
import { Corrupt } from '@palimpsest/knowledge/errors';
import { ScopeKeyDestroyed } from '@palimpsest/knowledge/ports';
import type { PermittedScope } from '@palimpsest/knowledge/access';
import type { DomainEvent, RetrievalRecordData, SealedRequest } from '@palimpsest/knowledge/events';
import type { QuotaPolicy } from '@palimpsest/knowledge/limits';
import type { ScopeCipher, ScopeKeys } from '@palimpsest/knowledge/ports';
import type { TenantId, VectorScope } from '@palimpsest/knowledge/values';

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
 * The queries that searched this scope by vectors, the newest first, each text once. Undefined unless the tenant lets the platform record
 * queries now: without this consent, earlier records are not used either.
 */
export const pastQueries = async (
  { journal, keys, quotaPolicy }: PastQueriesPorts,
  { tenant, scope }: PermittedScope,
  { max, signal }: Readonly<{ max: number; signal: AbortSignal }>,
): Promise<PastQueries | undefined> => {
  if (quotaPolicy.of(tenant).limits.recordQueries !== true) return undefined;
  const opener = new RequestOpener(keys, tenant);
  const digests = new Set<string>();
  const queries = new Map<string, PastQuery>();
  let leftOut = 0;
  const newestFirst = { direction: 'backwards', limit: MAX_RECORDS_READ } as const;
  for await (const { event } of journal.readStream(retrievalStream(tenant), newestFirst)) {
    signal.throwIfAborted();
    if (!searched(event, scope)) continue;
    const { traceId, keyScope, queryHash, minScore } = event.data;
    // Digests are keyed by scope: equal ones are known before anything is opened.
    const digest = `${keyScope ?? ''} ${queryHash}`;
    if (digests.has(digest)) continue;
    const text = (await opener.open(event.data))?.query;
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

/** A query that was searched by words only says nothing about a model. */
const searched = (event: DomainEvent, scope: VectorScope): event is Extract<DomainEvent, { type: 'KnowledgeRetrieved' }> =>
  event.type === 'KnowledgeRetrieved' &&
  event.data.strategy !== 'SparseOnly' &&
  event.data.generations.some((generation) => generation.scope === scope);

/** Opens the sealed requests of one tenant, each under the key of the scope that sealed it. */
class RequestOpener {
  readonly #keys: ScopeKeys;
  readonly #tenant: TenantId;
  readonly #ciphers = new Map<VectorScope, ScopeCipher | undefined>();

  constructor(keys: ScopeKeys, tenant: TenantId) {
    this.#keys = keys;
    this.#tenant = tenant;
  }

  /** Undefined if nothing was sealed, or if it no longer opens. @throws Unavailable if the keys cannot be read now */
  async open({ traceId, keyScope, sealedRequest }: RetrievalRecordData): Promise<SealedRequest | undefined> {
    if (keyScope === undefined || sealedRequest === undefined) return undefined;
    try {
      const cipher = await this.#cipher(keyScope);
      return cipher && openRequest(cipher, traceId, sealedRequest);
    } catch (error) {
      if (error instanceof Corrupt || error instanceof SyntaxError) return undefined;
      throw error;
    }
  }

  async #cipher(scope: VectorScope): Promise<ScopeCipher | undefined> {
    if (!this.#ciphers.has(scope)) this.#ciphers.set(scope, await this.#existing(scope));
    return this.#ciphers.get(scope);
  }

  async #existing(scope: VectorScope): Promise<ScopeCipher | undefined> {
    try {
      return await this.#keys.cipher({ tenant: this.#tenant, scope });
    } catch (error) {
      if (error instanceof ScopeKeyDestroyed) return undefined;
      throw error;
    }
  }
}
