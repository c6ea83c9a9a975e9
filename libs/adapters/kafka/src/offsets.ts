import type { KafkaLink } from './kafka-link.ts';

/** Offsets of a partition: the oldest one still kept, and that of the next message. */
export type Kept = Readonly<{ low: number; high: number }>;

/** Of each partition, in order. */
export const keptOffsets = (link: KafkaLink, topic: string, partitions: number): Promise<readonly Kept[]> =>
  link.ask(`offsets of ${topic}`, async (cluster) => {
    const all = listed(partitions).map((partition) => ({ partition }));
    const [lows, highs] = await Promise.all(
      [true, false].map(async (fromBeginning) =>
        byPartition((await cluster.fetchTopicsOffset([{ topic, partitions: all, fromBeginning }]))[0]?.partitions),
      ),
    );
    return listed(partitions).map((partition) => ({ low: offsetIn(lows, partition), high: offsetIn(highs, partition) }));
  });

export type Committed = Readonly<{ offset: number; metadata: string }>;

/** For each partition; undefined where the group has committed nothing. */
export const committedOffsets = (
  link: KafkaLink,
  groupId: string,
  topic: string,
  partitions: number,
): Promise<readonly (Committed | undefined)[]> =>
  link.ask(`offsets of group ${groupId}`, async (cluster) => {
    const coordinator = await cluster.findGroupCoordinator({ groupId });
    // the type requires an offset, the request only needs the partition
    const asked = listed(partitions).map((partition) => ({ partition, offset: '' }));
    const { responses } = await coordinator.offsetFetch({ groupId, topics: [{ topic, partitions: asked }] });
    const found = byPartition<{ partition: number; offset: string; metadata?: string | null }>(responses[0]?.partitions);
    return listed(partitions).map((partition) => {
      const { offset, metadata } = found.get(partition) ?? { offset: '-1' };
      // -1: nothing committed; -2: "from the beginning", which kafkajs commits when an offset is no longer kept
      return Number(offset) < 0
        ? offset === '-2'
          ? { offset: 0, metadata: '' }
          : undefined
        : { offset: Number(offset), metadata: metadata ?? '' };
    });
  });

/** Commits for a group without members; Kafka refuses it for others. */
export const commitForGroup = (
  link: KafkaLink,
  groupId: string,
  topic: string,
  commits: readonly (Committed & { partition: number })[],
): Promise<void> =>
  link.ask(`commit the start of group ${groupId}`, async (cluster) => {
    const coordinator = await cluster.findGroupCoordinator({ groupId });
    const partitions = commits.map(({ partition, offset, metadata }) => ({ partition, offset: String(offset), metadata }));
    await coordinator.offsetCommit({ groupId, groupGenerationId: -1, memberId: '', topics: [{ topic, partitions }] });
  });

const listed = (partitions: number): readonly number[] => Array.from({ length: partitions }, (_, partition) => partition);

const byPartition = <T extends { partition: number; offset: string }>(found: readonly T[] | undefined): ReadonlyMap<number, T> =>
  new Map((found ?? []).map((one) => [one.partition, one]));

const offsetIn = (found: ReadonlyMap<number, { offset: string }> | undefined, partition: number): number =>
  Number(found?.get(partition)?.offset ?? 0);
