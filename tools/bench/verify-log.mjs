/**
 * What do signed checkpoints of the log cost, and how fast are they checked? A log is filled with events of the size of a chunk (6 kB) and
 * small ones, and signed. Then it is read without doing anything else, and checked, in turn, in the same run.
 *
 *   npx node tools/bench/verify-log.mjs [--events 100000] [--rounds 5]
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { masterKeySigner } from '@palimpsest/adapters-folder';
import { openSqliteEventLog } from '@palimpsest/adapters-sqlite';
import { Journal } from '@palimpsest/contracts';
import { SYSTEM } from '@palimpsest/foundation';
import { streamName } from '@palimpsest/knowledge/ports';
import { checkLog, LogCheckpoints } from '@palimpsest/proofs';
import { median, timed } from './lib/figures.mjs';

const { values: options } = parseArgs({
  options: { events: { type: 'string', default: '100000' }, rounds: { type: 'string', default: '5' } },
});
const [events, rounds] = [Number(options.events), Number(options.rounds)];
const IN_ONE_APPEND = 100;

const root = await mkdtemp(join(tmpdir(), 'palimpsest-bench-'));
const file = join(root, 'events.db');
let log = await openSqliteEventLog({ file });
/** Closed, the file is complete. */
const sizeWhenClosed = async () => {
  await log.close();
  const { size } = await stat(file);
  log = await openSqliteEventLog({ file });
  return size;
};
const signer = masterKeySigner(randomBytes(32));
const metadata = { tenant: 'acme', scope: 'team:red', actor: 'key:ci', correlationId: 'r-1' };

/** As an event of a chunk with its text and its vector of 384 dimensions, both sealed: random, so that nothing can be compressed. */
const chunkEvent = (index) => ({
  id: randomUUID(),
  type: 'KnowledgeChunkIndexed',
  metadata,
  data: {
    ...{ documentId: 'd'.repeat(32), chunkId: randomBytes(16).toString('hex'), version: 1, index, of: IN_ONE_APPEND, language: 'en' },
    ...{ sealedText: randomBytes(2_000).toString('base64'), sealedVector: randomBytes(1_565).toString('base64'), tokens: 250 },
  },
});

console.log(`${events} events, load average ${loadavg()[0].toFixed(1)}`);
const filled = await timed(async () => {
  for (let n = 0; n < events / IN_ONE_APPEND; n++)
    await log.append(
      streamName('document', 'acme', String(n)),
      Array.from({ length: IN_ONE_APPEND }, (_, index) => chunkEvent(index)),
      'no-stream',
    );
});
const before = await sizeWhenClosed();
const journal = new Journal(log, { cipher: () => Promise.reject(new Error('no keys are needed')) });
const signed = await timed(() => new LogCheckpoints({ journal, signer, system: SYSTEM }).sign());
const grown = (await sizeWhenClosed()) / before - 1;
const perSecond = (ms) => Math.round(events / (ms / 1_000));
console.log(
  `appended ${perSecond(filled.ms)} events/s; signed ${perSecond(signed.ms)} events/s; the file grew by ${(100 * grown).toFixed(2)} %`,
);

const readAll = async () => {
  let count = 0;
  for await (const _ of log.readAll()) count++;
  return count;
};
const [reads, checks] = [[], []];
for (let round = 0; round < rounds; round++) {
  reads.push((await timed(readAll)).ms);
  const { result, ms } = await timed(() => checkLog(log, { publicKey: signer.publicKey, scheduler: SYSTEM.scheduler }));
  if (!result.intact || result.records !== events) throw new Error(`not intact: ${JSON.stringify(result.findings.slice(0, 3))}`);
  checks.push(ms);
}
const ratios = reads.map((ms, round) => ms / checks[round]);
console.log(
  `bare read ${perSecond(median(reads))} events/s, check ${perSecond(median(checks))} events/s: ${median(ratios).toFixed(2)} × the speed ` +
    `(median of ${rounds} pairs: ${ratios.map((ratio) => ratio.toFixed(2)).join(', ')})`,
);
await log.close();
await rm(root, { recursive: true });
