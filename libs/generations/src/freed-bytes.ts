import type { IndexBytes } from '@palimpsest/knowledge/plans';
import type { IndexPartition, LexicalIndex, ReadModels, VectorIndex } from '@palimpsest/knowledge/read-models';
import type { Position } from '@palimpsest/knowledge/values';
import { bytesOf } from './plan/generation-bytes.ts';

/** The indexes of this process, and how far they are. */
export type MeasuredIndexes = Readonly<{
  vectors: Pick<VectorIndex, 'bytes'>;
  lexical?: Pick<LexicalIndex, 'bytes'>;
  readModels: Pick<ReadModels, 'reached'>;
}>;

/** How long a command may wait until the read models of this process have deleted the indexes. */
const WAIT_MS = 10_000;

/**
 * Runs the command that retires a generation, and measures its indexes before and after. Without `freed`, it is not known: the index is a
 * server, or the read models of this process did not follow in time.
 */
export const measuringFreed = async <Done extends Readonly<{ position: Position }>>(
  indexes: MeasuredIndexes,
  partition: IndexPartition,
  retire: () => Promise<Done>,
): Promise<Done & Readonly<{ freed?: IndexBytes }>> => {
  const before = await bytesOf(indexes, partition);
  const done = await retire();
  if (!before || !(await indexes.readModels.reached(done.position, WAIT_MS))) return done;
  const after = await bytesOf(indexes, partition);
  return after ? { ...done, freed: { memory: before.memory - after.memory, disk: before.disk - after.disk } } : done;
};
