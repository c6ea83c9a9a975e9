import { partitionKey, type IndexPartition } from '@palimpsest/knowledge/read-models';
import type { Meta } from '../partitions/meta.ts';

type Known = { languages: Set<string>; readAt: number };

/** Maximum number of partitions whose languages are cached. */
const REMEMBERED = 10_000;

/**
 * The languages of each partition's chunks: a query is analysed in all of them. The store holds each of them once, and they are
 * never removed. A new language of another process is seen when the cache entry here is older than `maxAgeMs`.
 */
export class KnownLanguages {
  readonly #meta: Meta;
  readonly #maxAgeMs: number;
  readonly #known = new Map<string, Known>();

  constructor(meta: Meta, maxAgeMs: number) {
    this.#meta = meta;
    this.#maxAgeMs = maxAgeMs;
  }

  async of(partition: IndexPartition): Promise<readonly string[]> {
    const key = partitionKey(partition);
    const held = this.#known.get(key);
    if (held !== undefined && performance.now() - held.readAt < this.#maxAgeMs) return [...held.languages];
    const languages = new Set(await this.#meta.languages(partition));
    this.#remember(key, { languages, readAt: performance.now() });
    return [...languages];
  }

  /** Called before the first chunk of the language is written, so that the chunk can be found as soon as it exists. */
  async add(partition: IndexPartition, languages: readonly string[]): Promise<void> {
    const held = this.#known.get(partitionKey(partition));
    const fresh = [...new Set(languages)].filter((language) => held?.languages.has(language) !== true);
    if (fresh.length === 0) return;
    await this.#meta.addLanguages(partition, fresh);
    this.forget(partition);
  }

  forget(partition: IndexPartition): void {
    this.#known.delete(partitionKey(partition));
  }

  forgetAll(): void {
    this.#known.clear();
  }

  #remember(key: string, known: Known): void {
    this.#known.delete(key);
    this.#known.set(key, known);
    const [oldest] = this.#known.keys();
    if (this.#known.size > REMEMBERED && oldest !== undefined) this.#known.delete(oldest);
  }
}
