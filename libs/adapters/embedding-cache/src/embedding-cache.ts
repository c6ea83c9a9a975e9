import { LRUCache } from 'lru-cache';
import { InvalidValue, type Embedding, type EmbeddingKind, type EmbeddingProvider, type TextWindow } from '@palimpsest/knowledge';

import { cacheKey } from './cache-key.ts';
import { refuseBlank, requireFit } from '@palimpsest/contracts';
import { SharedCall } from './shared-call.ts';

export type CacheStats = Readonly<{
  /** Texts that needed no computing for the call that asked for them, and those that did, since the start. */
  hits: number;
  misses: number;
  /** Embeddings that are kept now. */
  entries: number;
}>;

export type CachedEmbeddingProvider = EmbeddingProvider & Readonly<{ stats(): CacheStats }>;

type TextsByKey = ReadonlyMap<string, string>;
type EmbeddingsByKey = ReadonlyMap<string, Embedding>;

/**
 * Remembers the `maxEntries` embeddings of a provider that were used last (10,000 of 384 dimensions take 15 MB), and
 * computes a text that is asked for several times at once only once. `close` closes the provider, too.
 *
 * @throws InvalidValue
 */
export const cachedEmbeddings = (
  provider: EmbeddingProvider,
  { maxEntries = 10_000 }: Readonly<{ maxEntries?: number }> = {},
): CachedEmbeddingProvider => {
  if (!Number.isInteger(maxEntries) || maxEntries < 1) throw new InvalidValue('maxEntries', 'a whole number from 1', maxEntries);
  return new EmbeddingCache(provider, maxEntries);
};

class EmbeddingCache implements CachedEmbeddingProvider {
  readonly version: EmbeddingProvider['version'];
  readonly #provider: EmbeddingProvider;
  readonly #kept: LRUCache<string, Embedding>;
  /** The running call that will bring a key's embedding. */
  readonly #running = new Map<string, SharedCall<EmbeddingsByKey>>();
  #hits = 0;
  #misses = 0;

  constructor(provider: EmbeddingProvider, maxEntries: number) {
    this.version = provider.version;
    this.#provider = provider;
    this.#kept = new LRUCache({ max: maxEntries });
  }

  stats(): CacheStats {
    return { hits: this.#hits, misses: this.#misses, entries: this.#kept.size };
  }

  close(): Promise<void> {
    return this.#provider.close();
  }

  window(): Promise<TextWindow> {
    return this.#provider.window();
  }

  async embed(texts: readonly string[], kind: EmbeddingKind, signal?: AbortSignal): Promise<readonly Embedding[]> {
    signal?.throwIfAborted();
    refuseBlank(texts);
    const keys = texts.map((text) => cacheKey(this.version, kind, text));
    const { found, toJoin, toCompute } = this.#sort(new Map(keys.map((key, i) => [key, texts[i] ?? ''])));
    this.#misses += toCompute.size;
    this.#hits += texts.length - toCompute.size;

    const coming = [...toJoin].map(([call, wanted]) => this.#join(call, wanted, kind, signal));
    if (toCompute.size > 0) coming.push(this.#start(toCompute, kind).join(signal));
    for (const embeddings of await Promise.all(coming)) for (const [key, embedding] of embeddings) found.set(key, embedding);
    return keys.map((key) => copyOf(found.get(key) as Embedding));
  }

  /** Each text is at hand, or being computed for another call, or to be computed. */
  #sort(wanted: TextsByKey) {
    const found = new Map<string, Embedding>();
    const toJoin = new Map<SharedCall<EmbeddingsByKey>, Map<string, string>>();
    const toCompute = new Map<string, string>();
    for (const [key, text] of wanted) {
      const embedding = this.#kept.get(key);
      const call = this.#running.get(key);
      if (embedding !== undefined) found.set(key, embedding);
      else if (call?.joinable) toJoin.set(call, (toJoin.get(call) ?? new Map<string, string>()).set(key, text));
      else toCompute.set(key, text);
    }
    return { found, toJoin, toCompute };
  }

  /** A call that was begun for others may fail over one of their texts: then ours are computed without them. */
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
      this.#hits -= wanted.size;
      this.#misses += wanted.size;
      return this.#compute(wanted, kind, signal);
    }
  }

  #start(wanted: TextsByKey, kind: EmbeddingKind): SharedCall<EmbeddingsByKey> {
    const call = new SharedCall((abandoned) => this.#compute(wanted, kind, abandoned));
    for (const key of wanted.keys()) this.#running.set(key, call);
    void call.ended().then(() => {
      for (const key of wanted.keys()) if (this.#running.get(key) === call) this.#running.delete(key);
    });
    return call;
  }

  async #compute(wanted: TextsByKey, kind: EmbeddingKind, signal: AbortSignal | undefined): Promise<EmbeddingsByKey> {
    const embeddings = await this.#provider.embed([...wanted.values()], kind, signal);
    requireFit(embeddings, wanted.size, this.version);
    const byKey = new Map([...wanted.keys()].map((key, i) => [key, copyOf(embeddings[i] as Embedding)]));
    for (const [key, embedding] of byKey) this.#kept.set(key, embedding);
    return byKey;
  }
}

/** A vector cannot be frozen: who is given one, or gives one, keeps another than ours. */
const copyOf = (embedding: Embedding): Embedding => ({ ...embedding, vector: embedding.vector.slice() });
