import { writeSync } from 'node:fs';
import { join } from 'node:path';
import { openSqliteEventLog, openSqliteMessageBus } from '@palimpsest/adapters-sqlite';
import { pause } from '@palimpsest/foundation';
import type { StreamName } from '@palimpsest/knowledge/ports';
import type { StoresOrder, StoresOutput } from './stores.ts';

/**
 * A process to be killed with only the two stores that acknowledge writes, the log and the queues, so that each of several hundred runs is
 * short. A failed call is retried once, as the workers of the engine do.
 */
const { data, from, count, end } = JSON.parse(process.argv[2] ?? '') as StoresOrder;
const say = (output: StoresOutput): void => void writeSync(1, `${JSON.stringify(output)}\n`);
const describeError = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const log = await openSqliteEventLog({ file: join(data, 'log', 'events.db') }).catch((error: unknown) => {
  say({ refused: describeError(error) });
  process.exit(1);
});
const bus = await openSqliteMessageBus({ file: join(data, 'bus', 'queues.db') }).catch((error: unknown) => {
  say({ refused: describeError(error) });
  process.exit(1);
});

const twice = async (act: () => Promise<void>, acknowledged: StoresOutput): Promise<void> => {
  for (let attempt = 0; attempt < 2; attempt++) {
    try {
      await act();
      return say(acknowledged);
    } catch (error) {
      say({ refused: describeError(error) });
    }
  }
};

const idOf = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
/** Between zero and five pages. */
const padding = (n: number): string => 'x'.repeat((n * 4_099) % 20_000);

/** Messages of this topic are consumed immediately; settling a message does not sync on its own. */
const TAKEN = 'taken';
const KEPT = 'kept';
const GROUP = 'readers';

const look = async (): Promise<void> => {
  const events: number[] = [];
  for await (const { data: held } of log.readAll()) events.push(Number(held['n']));
  const messages: number[] = [];
  const consumer = await bus.consume(
    { topic: KEPT, group: GROUP },
    async (batch) => void messages.push(...batch.map(({ key }) => Number(key))),
  );
  while ((await bus.lag(KEPT, GROUP)) > 0) await pause(5);
  await consumer.stop(1_000);
  say({ events, messages, damage: await log.check() });
};

const work = async (numbers: number): Promise<void> => {
  await twice(() => bus.subscribe(KEPT, GROUP), {});
  await twice(async () => void (await bus.consume({ topic: TAKEN, group: GROUP }, () => Promise.resolve())), {});
  for (let n = from; n < from + numbers; n++) {
    await twice(
      async () =>
        void (await log.append(
          `stream-${n}` as StreamName,
          [{ id: idOf(n), type: 'Counted', data: { n, more: padding(n) }, metadata: {} }],
          'no-stream',
        )),
      { event: n },
    );
    const message = { id: idOf(n), key: String(n), headers: {}, body: JSON.stringify(padding(n)) };
    await twice(() => bus.publish(TAKEN, [message]), {});
    await twice(() => bus.publish(KEPT, [message]), { message: n });
  }
};

await (count === 'look' ? look() : work(count));
if (end === 'kill') process.kill(process.pid, 'SIGKILL');
await bus.close();
await log.close();
process.exit(0);
