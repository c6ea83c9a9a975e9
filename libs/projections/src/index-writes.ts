import { fromBase64, openText, openVectors, searchText, type SealedVectors } from '@palimpsest/contracts';
import { partitionKey } from '@palimpsest/knowledge/read-models';
import { isWrittenLike, type LexicalFields } from '@palimpsest/knowledge/texts';
import { laterOf, START } from '@palimpsest/knowledge/values';
import type { Attributes } from '@palimpsest/knowledge/access';
import type { DocumentIndexed } from '@palimpsest/knowledge/events';
import type { ScopeCipher } from '@palimpsest/knowledge/ports';
import type { IndexPartition, IndexRemoval, LexicalPut, Ordered, VectorPut } from '@palimpsest/knowledge/read-models';
import type { ChunkId, EmbeddingVersion, Position } from '@palimpsest/knowledge/values';
import type { RecordedContent } from './document-contents.ts';

/** Attributes of a document that filters can use for each of its chunks. */
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

/** Every chunk repeats it, so a long list of keywords must not outweigh the text. In UTF-16 units. */
const LONGEST_METADATA = 1_000;
/** A date, a number or a switch (`draft: false`) is nothing that callers search for by words. */
const NO_WORDS = /^(?:[\d\s.,:+/-]*|\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-][\d:]+)?|true|false|yes|no)$/i;

/** Words of a document with which each of its chunks is found. */
export const fieldsOf = ({ title, metadata }: Pick<DocumentIndexed['data'], 'title' | 'metadata'>): LexicalFields => {
  const words = Object.entries(metadata)
    .filter(([name, value]) => name !== 'title' && !NO_WORDS.test(value))
    .map(([, value]) => value)
    .join('\n')
    .slice(0, LONGEST_METADATA);
  return { title, ...(words === '' ? {} : { metadata: words }) };
};

export const vectorPut = (
  cipher: ScopeCipher,
  { chunk }: RecordedContent,
  version: EmbeddingVersion,
  sealed: SealedVectors,
  attributes: Attributes,
): VectorPut => ({
  write: 'put',
  chunkId: chunk.chunkId,
  ...openVectors(cipher, chunk.chunkId, version, sealed),
  attributes,
});

/** Languages for a chunk without one: that of its document, and that declared by its knowledge base. Each can be `und`. */
export type FallbackLanguages = Readonly<{ document: string; declared: string }>;

/** A chunk may have no language: it is too short or was recorded for an earlier version. Then its document or knowledge base defines it. */
export const lexicalPut = (
  cipher: ScopeCipher,
  { chunk }: RecordedContent,
  fallback: FallbackLanguages,
  { attributes, fields }: Readonly<{ attributes: Attributes; fields: LexicalFields }>,
): LexicalPut => {
  const text = searchText(openText(cipher, chunk.chunkId, fromBase64(chunk.sealedText)));
  const known = chunk.language === 'und' ? fallback.document : chunk.language;
  // A declared language does not apply to text in another script.
  const language = known === 'und' && isWrittenLike(fallback.declared, text) ? fallback.declared : known;
  const { chunkId, symbol } = chunk;
  return { write: 'put', chunkId, text, fields: symbol === undefined ? fields : { ...fields, symbol }, language, attributes };
};

/** Put of a chunk into both indexes, unsealed only when it is written. Has no vector if the model refused the chunk. */
export type ChunkPut = Readonly<{ write: 'put'; chunkId: ChunkId; at: Position; vector?: () => VectorPut; lexical: () => LexicalPut }>;
export type ChunkRemoval = IndexRemoval & Readonly<{ at: Position }>;
/** `at`: the position of the fact that caused the write. */
export type ChunkWrite = ChunkPut | ChunkRemoval;

export const isPut = (write: ChunkWrite): write is ChunkPut => write.write === 'put';
export const isRemoval = (write: ChunkWrite): write is ChunkRemoval => write.write === 'remove';

/** Unsealed. A chunk whose vector the model refused has words only. */
export const vectorsOf = (puts: readonly ChunkPut[]): readonly Ordered<{ put: VectorPut }>[] =>
  puts.flatMap(({ vector, at }) => (vector ? [{ put: vector(), at }] : []));
export const wordsOf = (puts: readonly ChunkPut[]): readonly Ordered<{ put: LexicalPut }>[] =>
  puts.map(({ lexical, at }) => ({ put: lexical(), at }));

/** What an index gets that only this process writes. */
export const toVectors = (write: ChunkWrite): readonly (VectorPut | IndexRemoval)[] =>
  isPut(write) ? (write.vector ? [write.vector()] : []) : [removalOf(write)];
export const toLexical = (write: ChunkWrite): LexicalPut | IndexRemoval => (isPut(write) ? write.lexical() : removalOf(write));
const removalOf = ({ chunkId }: ChunkWrite) => ({ write: 'remove' as const, chunkId });

export type PartitionWrites = Readonly<{ partition: IndexPartition; writes: readonly ChunkWrite[] }>;

/** Index writes of several facts: the last write of each chunk, by partition. */
export class IndexWrites {
  readonly #partitions = new Map<string, { partition: IndexPartition; chunks: Map<ChunkId, ChunkWrite> }>();
  #last: Position = START;
  #size = 0;

  /** Number of writes. */
  get size(): number {
    return this.#size;
  }

  add(partition: IndexPartition, write: ChunkWrite): void {
    const key = partitionKey(partition);
    let writes = this.#partitions.get(key);
    if (!writes) this.#partitions.set(key, (writes = { partition, chunks: new Map() }));
    if (!writes.chunks.has(write.chunkId)) this.#size++;
    writes.chunks.set(write.chunkId, write);
    this.#last = laterOf(this.#last, write.at);
  }

  partitions(): readonly PartitionWrites[] {
    return [...this.#partitions.values()].map(({ partition, chunks }) => ({ partition, writes: [...chunks.values()] }));
  }

  /** Position of the last fact that caused a write; START if none did. */
  last(): Position {
    return this.#last;
  }
}
