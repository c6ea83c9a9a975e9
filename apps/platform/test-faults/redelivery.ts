import { randomUUID } from 'node:crypto';
import { openEventStoreLog } from '@palimpsest/adapters-eventstore';
import { openKafkaMessageBus } from '@palimpsest/adapters-kafka';
import { Journal, TOPICS } from '@palimpsest/contracts';
import { START, type Message } from '@palimpsest/knowledge';
import { workOf } from '@palimpsest/projections';
import type { Servers } from '../../../tools/distributed/servers.mjs';
import type { SeededRandom } from './seeded-random.ts';

/**
 * All work that ever followed from the log comes once more, under ids that no memory of the bus knows: of one document in its
 * order, which is all that a bus promises, and of different ones in an order that the dice give.
 * @returns how many messages
 */
export const redeliverOutOfOrder = async (servers: Servers, namespace: string, random: SeededRandom): Promise<number> => {
  const messages = interleaved(await workOnTheLog(servers, namespace), random);
  const bus = await openKafkaMessageBus({ brokers: servers.kafka.address.split(','), prefix: `${namespace}.`, partitions: Number(PARTITIONS), replication: servers.replication });
  try {
    await bus.publish(TOPICS.ingestion, messages.map((message) => ({ ...message, id: randomUUID() })));
  } finally {
    await bus.close();
  }
  return messages.length;
};

/** Of the topics of an installation under test, as its setting says it. */
export const PARTITIONS = '4';

const workOnTheLog = async (servers: Servers, namespace: string): Promise<readonly Message[]> => {
  const log = await openEventStoreLog({ connectionString: servers.eventStore.address, namespace });
  const over = new AbortController();
  try {
    const messages: Message[] = [];
    for await (const { facts, caughtUp } of new Journal(log).follow({ after: START, types: ['DocumentSubmitted'], signal: over.signal })) {
      for (const fact of facts) messages.push(...[workOf(fact)].flatMap((work) => work?.message ?? []));
      if (caughtUp) over.abort();
    }
    return messages;
  } finally {
    await log.close();
  }
};

/** Keys take turns by chance; what has the same key stays in its order. */
const interleaved = (messages: readonly Message[], random: SeededRandom): readonly Message[] => {
  const lines = Map.groupBy(messages, ({ key }) => key);
  return random.shuffled(messages).flatMap(({ key }) => lines.get(key)?.shift() ?? []);
};
