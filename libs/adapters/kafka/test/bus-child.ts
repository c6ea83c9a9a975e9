import { appendFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { openKafkaMessageBus } from '../src/open-kafka-message-bus.ts';

/** A consumer in its own process: `node bus-child.ts <brokers> <prefix> <session ms> <file> <name>`; records the messages it handled. */
const [brokers = '', prefix = '', session = '', file = '', name = ''] = process.argv.slice(2);
const bus = await openKafkaMessageBus({ brokers: brokers.split(','), prefix, partitions: 6, sessionTimeoutMs: Number(session) });
await bus.consume({ topic: 'topic', group: 'group', concurrency: 4 }, async ([message]) => {
  if (message === undefined) return;
  await sleep(10);
  message.signal.throwIfAborted();
  appendFileSync(file, `${name} ${message.key} ${message.id} ${message.attempt}\n`);
});
process.once('SIGTERM', () => void bus.close().then(() => process.exit(0)));
