import type { IndexBytes, PlannedBytes } from '@palimpsest/knowledge/plans';
import type { IndexPartition, LexicalIndex, VectorIndex } from '@palimpsest/knowledge/read-models';

/** A process that answers no searches has no lexical index. */
export type BytesPorts = Readonly<{
  vectors: Pick<VectorIndex, 'bytes' | 'bytesFor' | 'count'>;
  lexical?: Pick<LexicalIndex, 'bytes' | 'count'>;
}>;

/**
 * What a second generation with this many vectors uses. Its vectors by the format of the index; its words as much as those of the active
 * generation, since both have the same texts.
 */
export const plannedBytes = async (
  { vectors, lexical }: BytesPorts,
  active: IndexPartition,
  count: number,
  dimensions: number,
): Promise<PlannedBytes> => {
  const raw = { vectors: 4 * count * dimensions };
  const forVectors = vectors.bytesFor?.(count, dimensions);
  return forVectors ? { ...raw, ...sum(forVectors, await lexical?.bytes?.(active)) } : raw;
};

/** What a generation uses now, over both indexes. Undefined if an index is a server, which does not say so. */
export const bytesOf = async (
  { vectors, lexical }: Readonly<{ vectors: Pick<VectorIndex, 'bytes'>; lexical?: Pick<LexicalIndex, 'bytes'> }>,
  partition: IndexPartition,
): Promise<IndexBytes | undefined> => {
  const ofVectors = await vectors.bytes?.(partition);
  return ofVectors && sum(ofVectors, await lexical?.bytes?.(partition));
};

const sum = (a: IndexBytes, b: IndexBytes = { memory: 0, disk: 0 }): IndexBytes => ({ memory: a.memory + b.memory, disk: a.disk + b.disk });
