import { textIfAny } from '@palimpsest/contracts';
import { shuffled, type SeededRandom } from '@palimpsest/foundation';
import type { PermittedScope } from '@palimpsest/knowledge/access';
import type { ChunkText } from '@palimpsest/knowledge/events';
import type { ScopeKeys } from '@palimpsest/knowledge/ports';
import type { Catalog, CatalogReader } from '@palimpsest/knowledge/read-models';
import type { ChunkId, ChunkListId, DocumentId } from '@palimpsest/knowledge/values';

export type SampledText = Readonly<{ chunkId: ChunkId; documentId: DocumentId; text: ChunkText }>;

const PAGE = 100;

/** The texts of chunks of a list, in the order of `ids`. Leaves out chunks that are no longer visible. */
export const textsOf = async (
  { catalog, keys }: Readonly<{ catalog: Pick<CatalogReader, 'chunks'>; keys: Pick<ScopeKeys, 'cipher'> }>,
  scope: PermittedScope,
  { ids, list }: Readonly<{ ids: readonly ChunkId[]; list: ChunkListId }>,
): Promise<readonly SampledText[]> => {
  const found = new Map<ChunkId, SampledText>();
  for (let from = 0; from < ids.length; from += PAGE)
    for (const chunk of await catalog.chunks([scope], ids.slice(from, from + PAGE), list)) {
      const { chunkId, documentId } = chunk;
      const text = await textIfAny(keys, scope, chunk);
      if (text) found.set(chunkId, { chunkId, documentId, text });
    }
  return ids.flatMap((id) => found.get(id) ?? []);
};

/** Ids of chunks in a list, each with the same chance, in random order. */
export const sampleOf = async (
  catalog: Pick<Catalog, 'contentHashes'>,
  scope: PermittedScope,
  list: ChunkListId,
  { size, random }: Readonly<{ size: number; random: SeededRandom }>,
): Promise<readonly ChunkId[]> => {
  const sample = new Reservoir(size, random);
  for await (const { chunkId } of catalog.contentHashes(scope, list)) sample.add(chunkId);
  return sample.shuffled();
};

/** Reservoir sampling: after n ids, each of them is in the sample with the chance size / n. */
export class Reservoir {
  readonly #sample: ChunkId[] = [];
  readonly #size: number;
  readonly #random: SeededRandom;
  #added = 0;

  constructor(size: number, random: SeededRandom) {
    this.#size = size;
    this.#random = random;
  }

  get added(): number {
    return this.#added;
  }

  add(id: ChunkId): void {
    this.#added++;
    const at = this.#added <= this.#size ? this.#added - 1 : Math.floor(this.#random.next() * this.#added);
    if (at < this.#size) this.#sample[at] = id;
  }

  shuffled(): readonly ChunkId[] {
    return shuffled(this.#sample, this.#random);
  }
}
