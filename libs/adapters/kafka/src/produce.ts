import { ServerAway, Unavailable } from '@palimpsest/knowledge/errors';
import type { Cluster, Message as NewKafkaMessage } from 'kafkajs';

/** How long a leader may wait for its replicas. */
const BROKER_TIMEOUT_MS = 8_000;
const CLOSED = 'KafkaJSConnectionClosedError';

type Records = Readonly<{ partition: number; messages: NewKafkaMessage[] }>;
type Answer = Readonly<{ topics: readonly Readonly<{ topicName: string; partitions: readonly PartitionAnswer[] }>[] }>;
type PartitionAnswer = Readonly<{ partition: number; errorCode: number; baseOffset: string }>;

/** By node id. @throws when the leader of a partition is unknown */
export const leadersOf = async <R extends Records>(
  cluster: Cluster,
  topic: string,
  records: readonly R[],
): Promise<ReadonlyMap<string, readonly R[]>> => {
  await cluster.addTargetTopic(topic);
  await cluster.refreshMetadataIfNecessary();
  const byPartition = new Map(records.map((one) => [one.partition, one]));
  const leaders = Object.entries(cluster.findLeaderForPartitions(topic, [...byPartition.keys()]));
  const led = new Map(leaders.map(([leader, partitions]) => [leader, partitions.flatMap((partition) => byPartition.get(partition) ?? [])]));
  if ([...led.values()].flat().length < byPartition.size) throw new ServerAway(`publish to ${topic}: a partition has no known leader`);
  return led;
};

/**
 * One request to the leader of these partitions. Resolves when all in-sync replicas have stored each of them. A producer
 * of kafkajs would, on a retry, count requests to a leader that died as acknowledged (kafkajs issue 1303).
 * @throws when at least one of them was not stored; others may be
 */
export const produce = async (cluster: Cluster, leader: string, topic: string, records: readonly Records[]): Promise<void> => {
  const broker = await cluster.findBroker({ nodeId: leader });
  const partitions = records.map(({ partition, messages }) => ({ partition, messages }));
  const { topics }: Answer = await broker.produce({ acks: -1, timeout: BROKER_TIMEOUT_MS, topicData: [{ topic, partitions }] });
  const answers = topics.filter(({ topicName }) => topicName === topic).flatMap((answer) => answer.partitions);
  const stored = new Set(
    answers.filter(({ errorCode, baseOffset }) => errorCode === 0 && Number(baseOffset) >= 0).map(({ partition }) => partition),
  );
  const missing = records.filter(({ partition }) => !stored.has(partition)).map(({ partition }) => partition);
  if (missing.length > 0) throw new Unavailable(`publish to ${topic}: the answer does not name partition ${missing.join(', ')}`);
};

/** Refreshes the leaders after a failure. An error here shows up at the retry. */
export const freshLeaders = async (cluster: Cluster, error: unknown): Promise<void> => {
  try {
    if (error instanceof Error && error.name === CLOSED && 'host' in error && 'port' in error)
      cluster.removeBroker({ host: String(error.host), port: Number(error.port) });
    if (!cluster.isConnected()) await cluster.connect();
    await cluster.refreshMetadata();
  } catch {
    return;
  }
};
