import { InvalidValue, ServerAway } from '@palimpsest/knowledge/errors';
import type { IResourceConfigEntry } from 'kafkajs';
import { pause } from '@palimpsest/foundation';
import { KafkaLink } from './kafka-link.ts';
import { kafkaSettings, type KafkaOptions } from './kafka-options.ts';
import { deadLetterTopic, topicName } from './names.ts';
import { kafkaType } from './faults.ts';

export type TopicPlan = Readonly<{
  name: string;
  partitions: number;
  /** Default: the setting of the cluster. */
  retentionMs?: number;
  minInsyncReplicas?: number;
  replication?: number;
  compacted?: boolean;
}>;

/** Creates the Kafka topic if it does not exist. Returns its number of partitions. */
export const ensureTopic = async (link: KafkaLink, plan: TopicPlan): Promise<number> => {
  const known = await partitionsOf(link, plan.name);
  if (known > 0) return known;
  const { retentionMs, minInsyncReplicas, compacted } = plan;
  const entries: Readonly<Record<string, string | undefined>> = {
    'retention.ms': retentionMs?.toFixed(0),
    'min.insync.replicas': minInsyncReplicas?.toFixed(0),
    'cleanup.policy': compacted === true ? 'compact' : undefined,
  };
  const configEntries = Object.entries(entries).flatMap(([name, value]): IResourceConfigEntry[] =>
    value === undefined ? [] : [{ name, value }],
  );
  // Other processes may create the same topic at this moment. Only its existence matters.
  await link.administer(`create topic ${plan.name}`, (admin) =>
    admin.createTopics({
      waitForLeaders: false,
      topics: [{ topic: plan.name, numPartitions: plan.partitions, replicationFactor: plan.replication ?? -1, configEntries }],
    }),
  );
  return ledPartitions(link, plan.name);
};

const LEADERS_WITHIN_MS = 30_000;

/** The number of partitions of a new topic, once each of them has a leader. @throws Unavailable */
const ledPartitions = async (link: KafkaLink, name: string): Promise<number> => {
  for (const until = performance.now() + LEADERS_WITHIN_MS; ; await pause(50)) {
    const led = await link.ask(`topic ${name}`, async (cluster) => {
      try {
        await cluster.addTargetTopic(name);
        await cluster.refreshMetadata();
        const partitions = cluster.findTopicPartitionMetadata(name);
        return partitions.every(({ leader }) => leader >= 0) ? partitions.length : 0;
      } catch (error) {
        if (STILL_MADE.has(kafkaType(error))) return 0;
        throw error;
      }
    });
    if (led > 0) return led;
    if (performance.now() > until) throw new ServerAway(`topic ${name} has no leaders after ${LEADERS_WITHIN_MS / 1000} s`);
  }
};

const STILL_MADE: ReadonlySet<string> = new Set(['UNKNOWN_TOPIC_OR_PARTITION', 'LEADER_NOT_AVAILABLE']);

/** 0 if the topic does not exist. */
export const partitionsOf = (link: KafkaLink, name: string): Promise<number> =>
  link.ask(`topic ${name}`, async (cluster) => {
    try {
      await cluster.addTargetTopic(name);
      return cluster.findTopicPartitionMetadata(name).length;
    } catch (error) {
      if (kafkaType(error) === 'UNKNOWN_TOPIC_OR_PARTITION') return 0;
      throw error;
    }
  });

/**
 * Creates the topics of the bus, and the one for dead letters, if they do not exist. Existing topics stay unchanged.
 * Idempotent. Names are those of the port. @throws InvalidValue, Unavailable
 */
export const setUpTopics = async ({ topics, ...options }: KafkaOptions & Readonly<{ topics: readonly TopicPlan[] }>): Promise<void> => {
  const settings = kafkaSettings(options);
  for (const { name, partitions } of topics)
    if (!Number.isInteger(partitions) || partitions < 1)
      throw new InvalidValue(`partitions of ${name}`, 'a whole number, at least 1', partitions);
  const link = new KafkaLink(settings);
  try {
    for (const plan of topics) await ensureTopic(link, { ...replicated(settings), ...plan, name: topicName(settings.prefix, plan.name) });
    await ensureTopic(link, { ...replicated(settings), name: deadLetterTopic(settings.prefix), partitions: 1, compacted: true });
  } finally {
    await link.close();
  }
};

export const replicated = ({ replication, minInsyncReplicas }: KafkaOptions): Pick<TopicPlan, 'replication' | 'minInsyncReplicas'> => ({
  ...(replication === undefined ? {} : { replication }),
  ...(minInsyncReplicas === undefined ? {} : { minInsyncReplicas }),
});
