/**
 * A process that publishes and handles messages until it is killed. Prints each acknowledged batch to stdout ("ack <batch>"), and
 * writes each handled message to a file, because lines in a file survive a kill.
 * Arguments: queue file, notes file, number of this run.
 */
import { appendFileSync } from 'node:fs';
import { pause } from '@palimpsest/foundation';
import { openSqliteMessageBus } from '../src/bus/open-sqlite-message-bus.ts';
import { batchOf, KEYS } from './bus-kill-plan.ts';

const [file = '', notes = '', run = '0'] = process.argv.slice(2);
const bus = await openSqliteMessageBus({ file });
await bus.consume(
  { topic: 't', group: 'g', concurrency: 2, batchSize: 2, maxAttempts: 1_000, backoff: { baseMs: 1, capMs: 3 } },
  async (batch) => {
    appendFileSync(notes, batch.map(({ key, id }) => `${key} ${id}\n`).join(''));
    await new Promise((resolve) => setImmediate(resolve));
    if (Math.random() < 0.1) throw new Error('by chance');
  },
);
process.stdout.write('open\n');
for (let batch = 0; ; batch += 1) {
  await bus.publish('t', batchOf(Number(run), batch));
  process.stdout.write(`ack ${batch}\n`);
  if ((await bus.lag('t', 'g')) > 20 * KEYS) await pause(5);
}
