import { fromBase64, openText, openVector, searchText } from '@palimpsest/contracts';
import { partitionKey } from '@palimpsest/knowledge';
import type {
  Attributes, ChunkId, DocumentIndexed, EmbeddingVersion, IndexPartition, IndexRemoval, LexicalPut, ScopeCipher, VectorPut,
} from '@palimpsest/knowledge';
import type { RecordedContent } from './document-contents.ts';

/** What filters can look at beside each chunk of a document. */
export const attributesOf = (indexed: DocumentIndexed['data']): Attributes => ({
  documentId: indexed.documentId,
  knowledgeBase: indexed.knowledgeBase,
  source: indexed.sourceId,
  title: indexed.title,
  mediaType: indexed.mediaType,
  language: indexed.language,
  origin: indexed.origin,
  ...Object.fromEntries(Object.entries(indexed.labels).map(([name, value]) => [`label.${name}`, value])),
  ...Object.fromEntries(Object.entries(indexed.metadata).map(([name, value]) => [`meta.${name}`, value])),
});

export const vectorPut = (cipher: ScopeCipher, { chunk }: RecordedContent, version: EmbeddingVersion, sealedVector: string, attributes: Attributes): VectorPut => ({
  write: 'put',
  chunkId: chunk.chunkId,
  vector: openVector(cipher, chunk.chunkId, version, fromBase64(sealedVector)),
  attributes,
});

export const lexicalPut = (cipher: ScopeCipher, { chunk }: RecordedContent, attributes: Attributes): LexicalPut => ({
  write: 'put',
  chunkId: chunk.chunkId,
  text: searchText(openText(cipher, chunk.chunkId, fromBase64(chunk.sealedText))),
  language: chunk.language,
  attributes,
});

export type PartitionWrites = Readonly<{
  partition: IndexPartition;
  vectors: ReadonlyMap<ChunkId, VectorPut | IndexRemoval>;
  lexical: ReadonlyMap<ChunkId, LexicalPut | IndexRemoval>;
}>;

type Building = { partition: IndexPartition; vectors: Map<ChunkId, VectorPut | IndexRemoval>; lexical: Map<ChunkId, LexicalPut | IndexRemoval> };

/** Index writes of a run of facts: the last word on each chunk, per partition. */
export class IndexWrites {
  readonly #partitions = new Map<string, Building>();

  put(partition: IndexPartition, vector: VectorPut, lexical: LexicalPut): void {
    const writes = this.#of(partition);
    writes.vectors.set(vector.chunkId, vector);
    writes.lexical.set(lexical.chunkId, lexical);
  }

  remove(partition: IndexPartition, chunkId: ChunkId): void {
    const writes = this.#of(partition);
    writes.vectors.set(chunkId, { write: 'remove', chunkId });
    writes.lexical.set(chunkId, { write: 'remove', chunkId });
  }

  partitions(): readonly PartitionWrites[] {
    return [...this.#partitions.values()];
  }

  #of(partition: IndexPartition): Building {
    const key = partitionKey(partition);
    let writes = this.#partitions.get(key);
    if (!writes) this.#partitions.set(key, (writes = { partition, vectors: new Map(), lexical: new Map() }));
    return writes;
  }
}
