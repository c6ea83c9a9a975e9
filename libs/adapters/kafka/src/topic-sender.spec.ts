import { pause } from '@palimpsest/foundation';
import { Unavailable } from '@palimpsest/knowledge/errors';
import type { Broker, Cluster } from 'kafkajs';
import type { KafkaLink } from './kafka-link.ts';
import { TopicSender } from './topic-sender.ts';

type Request = Parameters<Broker['produce']>[0];
type Partitions = Request['topicData'][number]['partitions'];

/** Node 1 leads partitions 0 and 1, node 2 leads partition 2. */
class FakeCluster implements Pick<
  Cluster,
  'addTargetTopic' | 'refreshMetadataIfNecessary' | 'findLeaderForPartitions' | 'isConnected' | 'refreshMetadata'
> {
  readonly requests: { leader: string; records: Record<number, string[]> }[] = [];
  /** Fails, or leaves partitions out of its answer. */
  fault: (partitions: Partitions) => readonly number[] = () => [];

  async addTargetTopic(): Promise<void> {}
  async refreshMetadataIfNecessary(): Promise<void> {}
  async refreshMetadata(): Promise<void> {}
  isConnected = (): boolean => true;

  findLeaderForPartitions(_topic: string, partitions: number[]): Record<string, number[]> {
    const led = (leader: number): number[] => partitions.filter((partition) => (partition === 2 ? 2 : 1) === leader);
    return Object.fromEntries([1, 2].map((leader) => [String(leader), led(leader)] as const).filter(([, mine]) => mine.length > 0));
  }

  async findBroker({ nodeId }: { nodeId: string }): Promise<Pick<Broker, 'produce'>> {
    return { produce: (request) => this.#produce(nodeId, request) };
  }

  async #produce(leader: string, { topicData }: Request): Promise<unknown> {
    const partitions = topicData.flatMap((one) => one.partitions);
    this.requests.push({
      leader,
      records: Object.fromEntries(partitions.map(({ partition, messages }) => [partition, messages.map(({ value }) => String(value))])),
    });
    const missing = this.fault(partitions);
    const answers = partitions
      .filter(({ partition }) => !missing.includes(partition))
      .map(({ partition }) => ({ partition, errorCode: 0, baseOffset: '7' }));
    await pause(1);
    return { topics: [{ topicName: 'topic', partitions: answers }] };
  }
}

const senderTo = (
  cluster: FakeCluster,
  closed = new AbortController(),
): ((partition: number, value: string, forMs?: number) => Promise<void>) => {
  const link = { publishing: async () => cluster as unknown as Cluster } as Pick<KafkaLink, 'publishing'>;
  const sender = new TopicSender(link as KafkaLink, 'topic', closed.signal);
  return (partition, value, forMs = 30_000) => sender.send(partition, { value }, 10, Date.now() + forMs);
};

describe('TopicSender', () => {
  it('sends each leader one request with all pending batches of its partitions', async () => {
    const cluster = new FakeCluster();
    const send = senderTo(cluster);
    await Promise.all([send(0, 'a'), send(2, 'b'), send(1, 'c'), send(0, 'd')]);
    expect(cluster.requests).toEqual([
      { leader: '1', records: { 0: ['a', 'd'], 1: ['c'] } },
      { leader: '2', records: { 2: ['b'] } },
    ]);
  });

  it('acknowledges only batches that the answer names, and sends the others again on their own, before later ones', async () => {
    const cluster = new FakeCluster();
    cluster.fault = (partitions) => (partitions.length > 1 ? [1] : []);
    const send = senderTo(cluster);
    const sent = [send(0, 'a'), send(1, 'b')];
    await pause(0);
    await Promise.all([...sent, send(1, 'c')]);
    const alone = cluster.requests.slice(1).filter(({ records }) => 1 in records);
    expect(cluster.requests[0]?.records).toEqual({ 0: ['a'], 1: ['b'] });
    expect(alone.map(({ records }) => records)).toEqual([{ 1: ['b'] }, { 1: ['c'] }]);
  });

  it('sends one batch of a partition at a time', async () => {
    const cluster = new FakeCluster();
    const send = senderTo(cluster);
    let underWay = 0;
    cluster.fault = () => (expect((underWay += 1)).toBe(1), []);
    const first = send(0, 'a').then(() => (underWay -= 1));
    await new Promise((resolve) => setImmediate(resolve));
    await Promise.all([first, send(0, 'b')]);
    expect(cluster.requests.length).toBe(2);
  });

  it('fails at the deadline, and continues with later messages', async () => {
    const cluster = new FakeCluster();
    cluster.fault = () => [0];
    const send = senderTo(cluster);
    await expect(send(0, 'a', 20)).rejects.toBeInstanceOf(Unavailable);
    cluster.fault = () => [];
    await expect(send(0, 'b')).resolves.toBeUndefined();
  });
});
