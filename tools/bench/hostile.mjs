/**
 * How fast good documents are read alone, and beside hostile ones. Linux, Node 24:
 *
 *   npx node --conditions=@palimpsest/source tools/bench/hostile.mjs [--seconds 30] [--rounds 2] [--only pdf]
 *
 * Two callers have the small good files of libs/adapters/documents/test/fixtures read, over and over; in the second half of a
 * round a third one has every kind of hostile file read that `--only` matches, one after the other. The ratio is of files a
 * second, halves by turns. The pool is that of the platform.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { openDocumentParser } from '@palimpsest/adapters-documents';
import { HOSTILE_KINDS } from '../../libs/adapters/documents/test/hostile/all-kinds.ts';

const { values: options } = parseArgs({ options: { seconds: { type: 'string', default: '30' }, rounds: { type: 'string', default: '2' }, only: { type: 'string', default: '' } } });
const [seconds, rounds] = [Number(options.seconds), Number(options.rounds)];

const FIXTURES = new URL('../../libs/adapters/documents/test/fixtures/', import.meta.url);
const good = readdirSync(FIXTURES)
  .filter((name) => !/password|scanned|archive/.test(name))
  .map((fileName) => ({ fileName, bytes: readFileSync(new URL(fileName, FIXTURES)) }));
const kinds = Object.values(HOSTILE_KINDS).flat().filter(({ name }) => new RegExp(options.only, 'i').test(name));

console.log(`${new Date().toISOString()}, Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model}, load average ${loadavg()[0].toFixed(1)}`);
const parser = await openDocumentParser();
let next = 0;
let hostile = 0;

/** Good files read within so many seconds, by two callers. */
const goodFiles = async () => {
  const until = performance.now() + seconds * 1000;
  const began = performance.now();
  let read = 0;
  await Promise.all([0, 1].map(async () => {
    while (performance.now() < until) {
      const outcome = await parser.parse(good[next++ % good.length]);
      if (outcome.outcome !== 'parsed') throw new Error(`${outcome.reason}: ${outcome.detail}`);
      read++;
    }
  }));
  return (read * 1000) / (performance.now() - began);
};

/** Hostile ones meanwhile; the one under way at the end is given up. */
const besideHostile = async () => {
  const over = new AbortController();
  const attack = (async () => {
    while (!over.signal.aborted) {
      await parser.parse(await kinds[hostile++ % kinds.length].make(), over.signal).catch(() => undefined);
    }
  })();
  const rate = await goodFiles();
  over.abort(new Error('enough'));
  await attack;
  return rate;
};

await goodFiles();
const rows = [];
for (let round = 0; round < rounds; round++) {
  const before = hostile;
  const alone = await goodFiles();
  const beside = await besideHostile();
  rows.push({ 'alone /s': alone.toFixed(1), 'beside hostile /s': beside.toFixed(1), ratio: (beside / alone).toFixed(2), 'hostile files': hostile - before });
}
console.table(rows);
await parser.close();
console.log(`load average at the end ${loadavg()[0].toFixed(1)}`);
