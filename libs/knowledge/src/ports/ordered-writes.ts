import type { ChunkId } from '../values/ids.ts';
import type { Position } from '../values/position.ts';
import type { IndexPartition } from './index-partition.ts';

/** `at`: the position of the event that caused the write. */
export type Ordered<Write> = Readonly<Write & { at: Position }>;

/**
 * Writes of several processes into one index. Those of a chunk are ordered by event position, so they may be repeated or come from a
 * process that should have stopped. Promises, all checked by `describeOrderedWrites`:
 * - when `put` or `remove` resolves, searches see the change, and it survives a restart of the store;
 * - a put with an older position than the stored one changes nothing; a put with the same position writes the same data;
 * - a removal removes data that was put at or before its position, and nothing newer.
 */
export interface OrderedWrites<Put> {
  put(partition: IndexPartition, puts: readonly Ordered<{ put: Put }>[]): Promise<void>;
  remove(partition: IndexPartition, removals: readonly Ordered<{ chunkId: ChunkId }>[]): Promise<void>;
}
