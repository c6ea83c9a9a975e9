/**
 * Started by `sigkill.spec.ts` with the path of a log: appends to four streams at once, and prints the ids of each append,
 * on one line, when it was acknowledged. Ends only by being killed.
 */
import { randomUUID } from 'node:crypto';
import { streamName, type EventLog, type ExpectedRevision, type StreamName } from '@palimpsest/knowledge';
import { openSqliteEventLog } from '../src/log/open-sqlite-event-log.ts';

const lastRevision = async (log: EventLog, stream: StreamName): Promise<ExpectedRevision> => {
  let last: ExpectedRevision = 'no-stream';
  for await (const { revision } of log.readStream(stream, { direction: 'backwards', limit: 1 })) last = revision;
  return last;
};

const appendForEver = async (log: EventLog, stream: StreamName): Promise<never> => {
  let expected = await lastRevision(log, stream);
  for (let of = 1; ; of = (of % 3) + 1) {
    const metadata = { append: randomUUID(), of };
    const events = Array.from({ length: of }, () => ({ id: randomUUID(), type: 'Noted', data: { text: 'x'.repeat(500 * of) }, metadata }));
    const result = await log.append(stream, events, expected);
    if (result.outcome === 'conflict') throw new Error(`nobody else writes to ${stream}, yet it is at ${result.actual}`);
    expected = result.revision;
    process.stdout.write(`${events.map(({ id }) => id).join(' ')}\n`); // synchronous: it is a pipe
  }
};

const log = await openSqliteEventLog({ file: process.argv[2] ?? '' });
await Promise.all([1, 2, 3, 4].map((number) => appendForEver(log, streamName('document', 'acme', String(number)))));
