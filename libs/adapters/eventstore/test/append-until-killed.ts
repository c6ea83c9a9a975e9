/** A process that the test kills: appends events, follows the log, and prints what was acknowledged and delivered. */
import { randomUUID } from 'node:crypto';
import { streamName } from '@palimpsest/knowledge/ports';
import { position } from '@palimpsest/knowledge/values';
import { openEventStoreLog } from '../src/index.ts';

const [connectionString = '', from = '0', run = ''] = process.argv.slice(2);
const log = await openEventStoreLog({ connectionString });

const write = async (writer: number): Promise<void> => {
  const stream = streamName('document', run, String(writer));
  for (let at = 0; ; at += 1) {
    const id = randomUUID();
    await log.append(stream, [{ id, type: 'Noted', data: { at }, metadata: {} }], at === 0 ? 'no-stream' : at - 1);
    process.stdout.write(`appended ${id}\n`);
  }
};

for (let writer = 0; writer < 8; writer += 1) void write(writer);
for await (const { events, upTo } of log.follow({ after: position(from), signal: new AbortController().signal, maxBatch: 20 }))
  // One line holds the events and the checkpoint: both are written, or neither.
  process.stdout.write(`batch ${upTo} ${events.map(({ id }) => id).join(' ')}\n`);
