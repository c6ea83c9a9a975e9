import type { KeyObject } from 'node:crypto';
import type { Embedder, Embedding, EmbeddingKind, EmbeddingProvider, TenantEmbeddings } from '@palimpsest/knowledge/ports';
import { embeddingVersionParts, type TenantId } from '@palimpsest/knowledge/values';
import { decodeEmbedding, encodeEmbedding } from './cached-value.ts';
import { parseRedisCacheOptions, type RedisCacheOptions, type RedisCacheSettings } from './redis-cache-options.ts';
import { RedisValues, type RedisCounts } from './redis-values.ts';
import { cacheKey, refuseBlank, requireFit, tenantSecret, tenantTag } from '@palimpsest/contracts';
import { valueSeal, type ValueSeal } from './sealed-value.ts';
import { untilAborted } from './until-aborted.ts';

export type RedisCacheStats = RedisCounts &
  Readonly<{
    /** Distinct texts per call that were found in Redis, and those that were not. */
    hits: number;
    misses: number;
    /** Values that are not what was written; they count as misses. */
    corrupt: number;
  }>;

export type RedisCachedEmbeddings = Required<TenantEmbeddings> & Readonly<{ stats(): RedisCacheStats }>;

/**
 * Shares a provider's embeddings with other processes through Redis. A faulty Redis does no harm: if it is down, slow, full or holds
 * invalid values, a call takes at most the timeout longer and is computed. Each tenant finds only its own embeddings. `close` also closes the provider.
 * @throws InvalidValue
 */
export const redisCachedEmbeddings = (provider: EmbeddingProvider, options: RedisCacheOptions): RedisCachedEmbeddings =>
  new RedisEmbeddingCache(provider, parseRedisCacheOptions(options));

class RedisEmbeddingCache implements RedisCachedEmbeddings {
  readonly version: EmbeddingProvider['version'];
  readonly languages?: readonly string[];
  readonly #provider: EmbeddingProvider;
  readonly #dimensions: number;
  readonly #prefix: string;
  readonly #seal: ValueSeal;
  readonly #values: RedisValues;
  #hits = 0;
  #misses = 0;
  #corrupt = 0;

  constructor(provider: EmbeddingProvider, settings: RedisCacheSettings) {
    this.version = provider.version;
    if (provider.languages !== undefined) this.languages = provider.languages;
    this.#provider = provider;
    this.#dimensions = embeddingVersionParts(provider.version).dimensions;
    this.#prefix = settings.keyPrefix;
    this.#seal = valueSeal(settings.secret);
    this.#values = new RedisValues(settings);
  }

  stats(): RedisCacheStats {
    return { hits: this.#hits, misses: this.#misses, corrupt: this.#corrupt, ...this.#values.counts() };
  }

  async forget(tenant: TenantId): Promise<void> {
    await this.#values.remove(this.#prefixOf(tenantSecret(this.#seal.keySecret, tenant)));
  }

  async close(): Promise<void> {
    await this.#values.close();
    await this.#provider.close();
  }

  forTenant(tenant: TenantId): Embedder {
    const secret = tenantSecret(this.#seal.keySecret, tenant);
    return {
      version: this.version,
      ...(this.languages === undefined ? {} : { languages: this.languages }),
      window: () => this.#provider.window(),
      embed: (texts, kind, signal) => this.#embed(secret, texts, kind, signal),
    };
  }

  #prefixOf(secret: KeyObject): string {
    return `${this.#prefix}${tenantTag(secret)} `;
  }

  async #embed(secret: KeyObject, texts: readonly string[], kind: EmbeddingKind, signal?: AbortSignal): Promise<readonly Embedding[]> {
    signal?.throwIfAborted();
    refuseBlank(texts);
    const prefix = this.#prefixOf(secret);
    const keys = texts.map((text) => prefix + cacheKey(secret, this.version, kind, text));
    const wanted = new Map(keys.map((key, i) => [key, texts[i] ?? '']));
    const found = await untilAborted(this.#find([...wanted.keys()]), signal);
    const missing = [...wanted].filter(([key]) => !found.has(key));
    this.#hits += found.size;
    this.#misses += missing.length;
    if (missing.length > 0) {
      const computed = await this.#provider.embed(
        missing.map(([, text]) => text),
        kind,
        signal,
      );
      requireFit(computed, missing.length, this.version);
      const fresh = new Map(missing.map(([key], i) => [key, computed[i] as Embedding]));
      this.#values.set(new Map([...fresh].map(([key, embedding]) => [key, this.#encoded(key, embedding)])));
      for (const [key, embedding] of fresh) found.set(key, embedding);
    }
    return keys.map((key) => copyOf(found.get(key) as Embedding));
  }

  async #find(keys: readonly string[]): Promise<Map<string, Embedding>> {
    const values = await this.#values.get(keys);
    const found = new Map<string, Embedding>();
    keys.forEach((key, i) => {
      const value = values[i];
      if (value === undefined) return;
      const embedding = this.#decoded(key, value);
      if (embedding === undefined) this.#corrupt++;
      else found.set(key, embedding);
    });
    return found;
  }

  #encoded(key: string, embedding: Embedding): Buffer {
    return this.#seal.seal(key, encodeEmbedding(key, embedding));
  }

  #decoded(key: string, value: Buffer): Embedding | undefined {
    const opened = this.#seal.open(key, value);
    return opened && decodeEmbedding(key, opened, this.#dimensions);
  }
}

/** A text that occurs twice in a call is computed once, and each occurrence gets its own vector. */
const copyOf = (embedding: Embedding): Embedding => ({ ...embedding, vector: embedding.vector.slice() });
