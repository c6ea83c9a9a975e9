/**
 * Started by `sigkill.spec.ts` with the path of a log: appends to four streams concurrently, and prints the ids of each append on one
 * line when it is acknowledged. Runs until it is killed.
 */
import { randomUUID } from 'node:crypto';
import { streamName, type EventLog, type ExpectedRevision, type StreamName } from '@palimpsest/knowledge/ports';
import { openSqliteEventLog } from '../src/log/open-sqlite-event-log.ts';

const lastRevision = async (log: EventLog, stream: StreamName): Promise<ExpectedRevision> => {
  let last: ExpectedRevision = 'no-stream';
  for await (const { revision } of log.readStream(stream, { direction: 'backwards', limit: 1 })) last = revision;
  return last;
};

const appendForever = async (log: EventLog, stream: StreamName): Promise<never> => {
  let expected = await lastRevision(log, stream);
  for (let of = 1; ; of = (of % 3) + 1) {
    const metadata = { append: randomUUID(), of };
    const events = Array.from({ length: of }, () => ({ id: randomUUID(), type: 'Noted', data: { text: 'x'.repeat(500 * of) }, metadata }));
    const result = await log.append(stream, events, expected);
    if (result.outcome === 'conflict') throw new Error(`${stream} is at ${result.actual}, although no other process writes to it`);
    expected = result.revision;
    process.stdout.write(`${events.map(({ id }) => id).join(' ')}\n`); // synchronous, because stdout is a pipe
  }
};

const log = await openSqliteEventLog({ file: process.argv[2] ?? '' });
await Promise.all([1, 2, 3, 4].map((number) => appendForever(log, streamName('document', 'acme', String(number)))));
