import { partitionKey, type IndexPartition, type VectorIndex } from '@palimpsest/knowledge/read-models';
import { embeddingVersion, type EmbeddingVersion } from '@palimpsest/knowledge/values';
import { openQdrantVectorIndex, type QdrantVectorIndex, type QdrantVectorOptions } from '../src/index.ts';
import type { QdrantUnderTest } from './qdrant-under-test.ts';
import { KEYS } from './fixture.ts';
import { aPrefix } from './qdrant-under-test.ts';

const versionOfWidth = (width: number): EmbeddingVersion => embeddingVersion(`kit:any/${width}`);

/**
 * The kit writes vectors of many widths, as if any model had made them. In the platform, the catalog knows a partition's model.
 * Here, a wrapper remembers the width of the first vector of a partition until the partition is dropped.
 */
export const openForKit = async (server: QdrantUnderTest, options: Partial<QdrantVectorOptions> = {}) => {
  const prefix = aPrefix();
  const versions = new Map<string, EmbeddingVersion>();
  const versionOf = (partition: IndexPartition): EmbeddingVersion => versions.get(partitionKey(partition)) ?? versionOfWidth(16);
  const open = (): QdrantVectorIndex =>
    openQdrantVectorIndex({ ...server.address, keys: KEYS, prefix, versionOf, sampleMaxAgeMs: 0, ...options });
  const withCatalog = (index: QdrantVectorIndex): VectorIndex => {
    const { apply, drop } = index;
    index.apply = async (partition, writes, upTo) => {
      const first = writes.find((write) => write.write === 'put');
      const key = partitionKey(partition);
      if (first?.write === 'put' && !versions.has(key)) versions.set(key, versionOfWidth(first.vector.length));
      await apply.call(index, partition, writes, upTo);
    };
    index.drop = async (partition) => {
      await drop.call(index, partition);
      versions.delete(partitionKey(partition));
    };
    return index;
  };
  let index = withCatalog(open());
  return {
    index,
    reopen: async () => {
      await index.close();
      return (index = withCatalog(open()));
    },
    dispose: async () => {
      await index.close();
      const last = open();
      await last.dropAll();
      await last.close();
    },
  };
};
