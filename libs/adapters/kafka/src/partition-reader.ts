import type { KafkaMessage } from 'kafkajs';
import type { KafkaLink } from './kafka-link.ts';

const MOST_BYTES = 4 * 1_048_576;
const WAIT_MS = 100;
/** A new leader may for a moment not know how far the replicas are, and give nothing. */
const EMPTY_ANSWERS = 10;

type Fetched = { responses: { partitions: { messages: (KafkaMessage & { isControlRecord?: boolean })[] }[] }[] };

/**
 * Reads the messages of one partition from `from` up to, not with, `until`, without a group, oldest first. Offsets that are
 * no longer kept, or were never given to a message, are passed over.
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
      const partitions = [{ partition, fetchOffset: String(next), maxBytes: MOST_BYTES }];
      const answer: Fetched = await broker.fetch({ maxWaitTime: WAIT_MS, minBytes: 1, maxBytes: MOST_BYTES, topics: [{ topic, partitions }] });
      return answer.responses[0]?.partitions[0]?.messages ?? [];
    });
    for (const message of messages) {
      const offset = Number(message.offset);
      if (offset < next || offset >= until) continue;
      if (message.isControlRecord !== true) each(message, offset);
    }
    const last = messages.at(-1);
    if (last !== undefined) next = Math.max(next, Number(last.offset) + 1);
    // nothing where something should be: the last offsets were compacted away
    else if ((empty += 1) >= EMPTY_ANSWERS) return;
  }
};
