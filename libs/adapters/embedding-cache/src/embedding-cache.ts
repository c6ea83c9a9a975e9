import { createSecretKey, randomBytes, type KeyObject } from 'node:crypto';
import { InvalidValue } from '@palimpsest/knowledge/errors';
import type { Embedding, EmbeddingKind, Embedder, TenantEmbeddings, TextWindow } from '@palimpsest/knowledge/ports';
import type { TenantId } from '@palimpsest/knowledge/values';

import { FairCache } from './fair-cache.ts';
import { cacheKey, refuseBlank, requireFit, tenantSecret } from '@palimpsest/contracts';
import { SharedCall } from './shared-call.ts';

export type CacheStats = Readonly<{
  /** Texts since the start that were served without computing them for their call, and those that were computed. */
  hits: number;
  misses: number;
  /** Number of cached embeddings. */
  entries: number;
}>;

/** `stats` are totals of all tenants: for operators only. */
export type CachedEmbeddings = Required<TenantEmbeddings> & Readonly<{ stats(): CacheStats }>;

type TextsByKey = ReadonlyMap<string, string>;
type EmbeddingsByKey = ReadonlyMap<string, Embedding>;

/**
 * Caches `maxEntries` embeddings of a model (10,000 of 384 dimensions take 15 MB), and computes a text only once for concurrent calls
 * of a tenant. Each tenant only finds its own embeddings, so response times reveal nothing about the texts of others. `close` also
 * closes the model.
 *
 * @throws InvalidValue
 */
export const cachedEmbeddings = (
  model: TenantEmbeddings,
  { maxEntries = 10_000 }: Readonly<{ maxEntries?: number }> = {},
): CachedEmbeddings => {
  if (!Number.isInteger(maxEntries) || maxEntries < 1) throw new InvalidValue('maxEntries', 'a whole number from 1', maxEntries);
  // Known to this process only, so that no digest can be computed outside of it.
  const secret = createSecretKey(randomBytes(32));
  const kept = new FairCache<Embedding>(maxEntries);
  const counts = { hits: 0, misses: 0 };
  /** The call in progress that will return a key's embedding. */
  const running = new Map<string, SharedCall<EmbeddingsByKey>>();
  return {
    version: model.version,
    forTenant: (tenant) =>
      new TenantCache(tenant, model.forTenant(tenant), { secret: tenantSecret(secret, tenant), kept, running, counts }),
    stats: () => ({ ...counts, entries: kept.size }),
    forget: async (tenant) => {
      kept.forget(tenant);
      await model.forget?.(tenant);
    },
    close: () => model.close(),
  };
};

type Shared = Readonly<{
  secret: KeyObject;
  kept: FairCache<Embedding>;
  running: Map<string, SharedCall<EmbeddingsByKey>>;
  counts: { hits: number; misses: number };
}>;

/** One tenant's view of the cache. */
class TenantCache implements Embedder {
  readonly version: Embedder['version'];
  readonly languages?: readonly string[];
  readonly #tenant: TenantId;
  readonly #model: Embedder;
  readonly #shared: Shared;

  constructor(tenant: TenantId, model: Embedder, shared: Shared) {
    this.version = model.version;
    if (model.languages !== undefined) this.languages = model.languages;
    this.#tenant = tenant;
    this.#model = model;
    this.#shared = shared;
  }

  window(): Promise<TextWindow> {
    return this.#model.window();
  }

  async embed(texts: readonly string[], kind: EmbeddingKind, signal?: AbortSignal): Promise<readonly Embedding[]> {
    signal?.throwIfAborted();
    refuseBlank(texts);
    const keys = texts.map((text) => cacheKey(this.#shared.secret, this.version, kind, text));
    const { found, toJoin, toCompute } = this.#sort(new Map(keys.map((key, i) => [key, texts[i] ?? ''])));
    this.#shared.counts.misses += toCompute.size;
    this.#shared.counts.hits += texts.length - toCompute.size;

    const pending = [...toJoin].map(([call, wanted]) => this.#join(call, wanted, kind, signal));
    if (toCompute.size > 0) pending.push(this.#start(toCompute, kind).join(signal));
    for (const embeddings of await Promise.all(pending)) for (const [key, embedding] of embeddings) found.set(key, embedding);
    return keys.map((key) => copyOf(found.get(key) as Embedding));
  }

  /** Splits texts into those that are cached, those being computed for another call, and those to compute. */
  #sort(wanted: TextsByKey) {
    const found = new Map<string, Embedding>();
    const toJoin = new Map<SharedCall<EmbeddingsByKey>, Map<string, string>>();
    const toCompute = new Map<string, string>();
    for (const [key, text] of wanted) {
      const embedding = this.#shared.kept.get(this.#tenant, key);
      const call = this.#shared.running.get(key);
      if (embedding !== undefined) found.set(key, embedding);
      else if (call?.joinable) toJoin.set(call, (toJoin.get(call) ?? new Map<string, string>()).set(key, text));
      else toCompute.set(key, text);
    }
    return { found, toJoin, toCompute };
  }

  /** The joined call may fail because of another text. In that case, compute our texts separately. */
  async #join(
    call: SharedCall<EmbeddingsByKey>,
    wanted: TextsByKey,
    kind: EmbeddingKind,
    signal: AbortSignal | undefined,
  ): Promise<EmbeddingsByKey> {
    try {
      return await call.join(signal);
    } catch {
      signal?.throwIfAborted();
      this.#shared.counts.hits -= wanted.size;
      this.#shared.counts.misses += wanted.size;
      return this.#compute(wanted, kind, signal);
    }
  }

  #start(wanted: TextsByKey, kind: EmbeddingKind): SharedCall<EmbeddingsByKey> {
    const call = new SharedCall((abandoned) => this.#compute(wanted, kind, abandoned));
    for (const key of wanted.keys()) this.#shared.running.set(key, call);
    void call.ended().then(() => {
      for (const key of wanted.keys()) if (this.#shared.running.get(key) === call) this.#shared.running.delete(key);
    });
    return call;
  }

  async #compute(wanted: TextsByKey, kind: EmbeddingKind, signal: AbortSignal | undefined): Promise<EmbeddingsByKey> {
    const embeddings = await this.#model.embed([...wanted.values()], kind, signal);
    requireFit(embeddings, wanted.size, this.version);
    const byKey = new Map([...wanted.keys()].map((key, i) => [key, copyOf(embeddings[i] as Embedding)]));
    for (const [key, embedding] of byKey) this.#shared.kept.set(this.#tenant, key, embedding);
    return byKey;
  }
}

/** A vector cannot be frozen, so callers and model never share the cached one. */
const copyOf = (embedding: Embedding): Embedding => ({ ...embedding, vector: embedding.vector.slice() });
