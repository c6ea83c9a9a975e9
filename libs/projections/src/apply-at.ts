import type { IndexPartition } from '@palimpsest/knowledge/read-models';
import { laterOf, type Position } from '@palimpsest/knowledge/values';

/**
 * An index can be ahead of a batch that was put but not removed when the process was killed. Such a batch is written again at the
 * index's own position, because the index would ignore older writes and keep chunks that should be removed.
 */
export const applyAt = async <W>(
  index: Readonly<{
    position: (partition: IndexPartition) => Promise<Position>;
    apply: (partition: IndexPartition, writes: readonly W[], upTo: Position) => Promise<void>;
  }>,
  partition: IndexPartition,
  writes: () => readonly W[],
  upTo: Position,
): Promise<void> => index.apply(partition, writes(), laterOf(upTo, await index.position(partition)));
