import { randomUUID } from 'node:crypto';
import { openEventStoreLog } from '@palimpsest/adapters-eventstore';
import { openKafkaMessageBus } from '@palimpsest/adapters-kafka';
import { Journal, TOPICS } from '@palimpsest/contracts';
import { ScopeKeyDestroyed, type Message } from '@palimpsest/knowledge/ports';
import { START } from '@palimpsest/knowledge/values';
import { relayProjection } from '@palimpsest/projections';
import type { Servers } from '../../../tools/distributed/servers.mjs';
import type { SeededRandom } from '@palimpsest/e2e-support/seeded-random';

/**
 * Publishes all work of the whole log again, under new ids that no deduplication knows. The messages of one document keep their order,
 * which is all that the bus guarantees; the order across documents is random.
 * @returns the number of messages
 */
export const redeliverOutOfOrder = async (servers: Servers, namespace: string, random: SeededRandom): Promise<number> => {
  const messages = interleaved(await workOnTheLog(servers, namespace), random);
  const bus = await openKafkaMessageBus({
    brokers: servers.kafka.address.split(','),
    prefix: `${namespace}.`,
    partitions: Number(PARTITIONS),
    replication: servers.replication,
  });
  try {
    await bus.publish(
      TOPICS.ingestion,
      messages.map((message) => ({ ...message, id: randomUUID() })),
    );
  } finally {
    await bus.close();
  }
  return messages.length;
};

/** The number of partitions of the topics, as a setting of the installation under test. */
export const PARTITIONS = '4';

/** Messages contain nothing sealed. */
const WITHOUT_KEYS = { cipher: () => Promise.reject(new ScopeKeyDestroyed('messages need no key')) };

const workOnTheLog = async (servers: Servers, namespace: string): Promise<readonly Message[]> => {
  const log = await openEventStoreLog({ connectionString: servers.eventStore.address, namespace });
  const done = new AbortController();
  try {
    const messages: Message[] = [];
    for await (const { facts, caughtUp } of new Journal(log, WITHOUT_KEYS).follow({
      after: START,
      types: ['DocumentSubmitted'],
      signal: done.signal,
    })) {
      for (const fact of facts)
        messages.push(...[relayProjection.project(fact)].flatMap((work) => (work && 'messages' in work ? work.messages : [])));
      if (caughtUp) done.abort();
    }
    return messages;
  } finally {
    await log.close();
  }
};

/** Shuffles the messages, but keeps the order of messages with the same key. */
const interleaved = (messages: readonly Message[], random: SeededRandom): readonly Message[] => {
  const queues = Map.groupBy(messages, ({ key }) => key);
  return random.shuffled(messages).flatMap(({ key }) => queues.get(key)?.shift() ?? []);
};
