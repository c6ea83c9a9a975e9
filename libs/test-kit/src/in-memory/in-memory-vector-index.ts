import { isSelectedBy } from '@palimpsest/contracts';
import { matches } from '@palimpsest/knowledge/access';
import { InvalidValue } from '@palimpsest/knowledge/errors';
import { partitionKey, spreadOf } from '@palimpsest/knowledge/read-models';
import type {
  IndexPartition,
  IndexQuery,
  IndexStore,
  ReadablePartition,
  ScoreSpread,
  VectorHit,
  VectorIndex,
  VectorPut,
} from '@palimpsest/knowledge/read-models';
import { bestScore, dot } from '../vector-index-model.ts';
import { checkK, digestOf, InMemoryIndex, type HeldPartitions } from './in-memory-index.ts';

/** Exact nearest neighbours by brute force. */
export class InMemoryVectorIndex extends InMemoryIndex<VectorPut> implements VectorIndex {
  /** The width of a partition is kept even after its vectors are removed. */
  readonly #widths = new Map<string, number>();

  constructor(stored?: HeldPartitions<VectorPut>) {
    super(stored);
    for (const [key, { puts }] of stored ?? []) for (const { vector } of puts.values()) this.#widths.set(key, vector.length);
  }

  reopened(): InMemoryVectorIndex {
    return new InMemoryVectorIndex(this.left('kill'));
  }

  async search(
    { scope, generation }: ReadablePartition,
    vector: Float32Array,
    { k, filter, chunks }: IndexQuery,
  ): Promise<readonly VectorHit[]> {
    this.checkOpen();
    checkK(k);
    const partition = { scope, generation };
    if (this.puts(partition).length > 0) this.#checkVector(vector, this.#widths.get(partitionKey(partition)));
    const isSelected = chunks === undefined ? () => true : isSelectedBy(chunks);
    return this.puts(partition)
      .filter(({ chunkId, attributes }) => isSelected(chunkId) && (filter === undefined || matches(filter, attributes)))
      .map((put) => ({ chunkId: put.chunkId, score: bestScore(put, vector) }))
      .sort((a, b) => b.score - a.score || (a.chunkId < b.chunkId ? -1 : 1))
      .slice(0, k);
  }

  async spread({ scope, generation }: ReadablePartition, vector: Float32Array): Promise<ScoreSpread> {
    this.checkOpen();
    return spreadOf(
      this.puts({ scope, generation }).flatMap(({ vector: first, further = [] }) => [first, ...further].map((one) => dot(one, vector))),
    );
  }

  override async drop(partition: IndexPartition): Promise<void> {
    await super.drop(partition);
    this.#widths.delete(partitionKey(partition));
  }

  override async adopt(partition: IndexPartition, from: IndexStore): Promise<void> {
    await this.#withWidth(partition, from, () => super.adopt(partition, from));
  }

  override async copy(partition: IndexPartition, from: IndexStore): Promise<void> {
    await this.#withWidth(partition, from, () => super.copy(partition, from));
  }

  async #withWidth(partition: IndexPartition, from: IndexStore, take: () => Promise<void>): Promise<void> {
    const width = from instanceof InMemoryVectorIndex ? from.#widths.get(partitionKey(partition)) : undefined;
    await take();
    if (width === undefined) this.#widths.delete(partitionKey(partition));
    else this.#widths.set(partitionKey(partition), width);
  }

  override async dropAll(): Promise<void> {
    await super.dropAll();
    this.#widths.clear();
  }

  protected digest(put: VectorPut): string {
    return vectorDigestInMemory(put);
  }

  protected check(puts: readonly VectorPut[], partition: IndexPartition): void {
    const width = this.#widths.get(partitionKey(partition)) ?? puts[0]?.vector.length;
    for (const { vector, further = [] } of puts) for (const one of [vector, ...further]) this.#checkVector(one, width);
    if (width !== undefined) this.#widths.set(partitionKey(partition), width);
  }

  #checkVector(vector: Float32Array, width: number | undefined): void {
    if (vector.length !== width) throw new InvalidValue('vector', `${width} dimensions`, vector.length);
    if (!(Math.abs(dot(vector, vector) - 1) < 1e-3)) throw new InvalidValue('vector', 'a vector of length 1', dot(vector, vector));
  }
}

export const vectorDigestInMemory = ({ vector, further = [], attributes }: VectorPut): string =>
  digestOf(
    [vector, ...further].map((one) => [...one]),
    attributes,
  );
