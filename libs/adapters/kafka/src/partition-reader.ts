import type { KafkaMessage } from 'kafkajs';
import type { KafkaLink } from './kafka-link.ts';

const MAX_BYTES = 4 * 1_048_576;
const WAIT_MS = 100;
/** A new leader may briefly not know how far the replicas are, and return nothing. */
const EMPTY_ANSWERS = 10;

type Fetched = { responses: { partitions: { messages: (KafkaMessage & { isControlRecord?: boolean })[] }[] }[] };

/**
 * Reads the messages of one partition from `from` to `until` (exclusive), without a group, oldest first. Skips offsets that are
 * no longer kept or have no message.
 */
export const readPartition = async (
  link: KafkaLink,
  { topic, partition, from, until }: Readonly<{ topic: string; partition: number; from: number; until: number }>,
  each: (message: KafkaMessage, offset: number) => void,
): Promise<void> => {
  let empty = 0;
  for (let next = from; next < until;) {
    const messages = await link.ask(`read ${topic}/${partition}`, async (cluster) => {
      await cluster.addTargetTopic(topic);
      const [nodeId] = Object.keys(cluster.findLeaderForPartitions(topic, [partition]));
      const broker = await cluster.findBroker({ nodeId: nodeId ?? '' });
      const partitions = [{ partition, fetchOffset: String(next), maxBytes: MAX_BYTES }];
      const answer: Fetched = await broker.fetch({
        maxWaitTime: WAIT_MS,
        minBytes: 1,
        maxBytes: MAX_BYTES,
        topics: [{ topic, partitions }],
      });
      return answer.responses[0]?.partitions[0]?.messages ?? [];
    });
    for (const message of messages) {
      const offset = Number(message.offset);
      if (offset < next || offset >= until) continue;
      if (message.isControlRecord !== true) each(message, offset);
    }
    const last = messages.at(-1);
    if (last !== undefined) next = Math.max(next, Number(last.offset) + 1);
    // no messages where there should be some: the last offsets were compacted away
    else if ((empty += 1) >= EMPTY_ANSWERS) return;
  }
};
