/**
 * How fast good documents are read, and indexed, alone and beside hostile files. Linux, Node 24, after `npm run build`:
 *
 *   npx node --conditions=@palimpsest/source tools/bench/hostile.mjs [--every 10] [--files 300] [--documents 60] [--rounds 3] [--only parser,platform]
 *
 * parser    two callers have the small good files of libs/adapters/documents/test/fixtures read, over and over; beside, a third one
 *           has a hostile file read for every `--every` good ones (one at a time, as fast as that goes), of all kinds that the suite has.
 *           Files a second, by turns alone and beside.
 * platform  the built platform with its model on an empty folder: `--documents` short documents, and as many others with a hostile file handed in
 *           before every `--every` of them, of the kinds that are to be refused (the others are indexed, and cost what a document costs).
 *           Good documents a second until all of them are indexed, by turns.
 *
 * The ratios count: they are of one run. On a machine that others use, too, the one for the same computing says more: how many good ones for a second of a
 * processor, whoever the rest of it went to. Hostile files are made before.
 */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { openDocumentParser } from '@palimpsest/adapters-documents';
import { syntheticDocuments } from './lib/corpus.mjs';
import { hostileFiles } from './lib/hostile-files.mjs';
import { PlatformProcess } from './lib/platform-process.mjs';
import { cpuMs } from './lib/processes.mjs';

const { values: options } = parseArgs({
  options: {
    every: { type: 'string', default: '10' },
    files: { type: 'string', default: '300' },
    documents: { type: 'string', default: '60' },
    rounds: { type: 'string', default: '3' },
    only: { type: 'string', default: 'parser,platform' },
  },
});
const [every, files, documents, rounds] = ['every', 'files', 'documents', 'rounds'].map((name) => Number(options[name]));

const FIXTURES = new URL('../../libs/adapters/documents/test/fixtures/', import.meta.url);
const median = (list) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)];

/** What so many good ones took: of the clock, and of the processors. */
const taken = async (count, pid, work) => {
  const [began, before] = [performance.now(), cpuMs(pid)];
  await work();
  return { perSecond: (count * 1000) / (performance.now() - began), perCpuSecond: (count * 1000) / (cpuMs(pid) - before) };
};

/** By turns, so that what else happens on the machine meets both alike. */
const compare = async (alone, beside) => {
  const rows = [];
  for (let round = 0; round < rounds; round++) {
    const one = round % 2 === 0 ? await alone() : undefined;
    const other = await beside();
    const first = one ?? (await alone());
    rows.push({
      'alone /s': first.perSecond, 'beside /s': other.perSecond, ratio: other.perSecond / first.perSecond,
      'alone per s of a processor': first.perCpuSecond, 'beside per s of a processor': other.perCpuSecond, 'ratio for the same computing': other.perCpuSecond / first.perCpuSecond,
    });
  }
  console.table(rows.map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, value.toFixed(2)]))));
  for (const which of ['ratio', 'ratio for the same computing']) console.log(`${which}, median of ${rounds}: ${median(rows.map((row) => row[which])).toFixed(2)}`);
};

const ofParser = async () => {
  const names = (await readdir(FIXTURES)).filter((name) => !/password|scanned|archive/.test(name));
  const good = await Promise.all(names.map(async (fileName) => ({ fileName, bytes: await readFile(new URL(fileName, FIXTURES)) })));
  const hostile = await hostileFiles(() => true);
  const parser = await openDocumentParser();
  let next = 0;
  const goodFiles = (onRead = () => undefined) =>
    taken(files, process.pid, async () => {
      let [begun, read] = [0, 0];
      await Promise.all([0, 1].map(async () => {
        while (begun++ < files) {
          const outcome = await parser.parse(good[next++ % good.length]);
          if (outcome.outcome !== 'parsed') throw new Error(`${outcome.reason}: ${outcome.detail}`);
          onRead(++read);
        }
      }));
    });
  const beside = async () => {
    const over = new AbortController();
    let due = 0;
    const attack = (async () => {
      for (let sent = 0; !over.signal.aborted; ) {
        if (sent >= due) {
          await sleep(2);
          continue;
        }
        sent++;
        await parser.parse(hostile.next(), over.signal).catch(() => undefined);
      }
    })();
    const figures = await goodFiles((read) => (due = Math.ceil(read / every)));
    over.abort(new Error('enough'));
    await attack;
    return figures;
  };
  console.log(`\n== parser: ${good.length} good files, ${hostile.count} hostile ones, one for every ${every} good ones`);
  try {
    await goodFiles();
    await compare(() => goodFiles(), beside);
    console.log(`${hostile.taken()} hostile files`);
  } finally {
    await parser.close();
    hostile.remove();
  }
};

const ofPlatform = async () => {
  const root = await mkdtemp(join(tmpdir(), 'palimpsest-bench-'));
  const hostile = await hostileFiles(({ expected }) => 'refused' in expected);
  const platform = await PlatformProcess.start(root);
  const authorization = `Bearer ${(await readFile(join(root, 'keys', 'local-api-key'), 'utf8')).trim()}`;
  let seed = 0;
  let indexed = 0;
  let refused = 0;
  const handInHostile = async () => {
    const { bytes, fileName = 'hostile' } = hostile.next();
    const form = new FormData();
    form.append('file', new Blob([bytes]), `${hostile.taken()}-${fileName}`.slice(-100));
    await (await fetch(`${platform.url}/v1/documents`, { method: 'POST', headers: { authorization }, body: form })).text();
    refused++;
  };
  const untilIndexed = async () => {
    while ((await platform.ask('GET', '/v1/status')).documents.indexed < indexed) await sleep(50);
  };
  const run = async (withHostile) => {
    const corpus = syntheticDocuments(documents, { sections: 4, seed: 100 + seed++ }).map((one) => ({ ...one, name: `${seed}-${one.name}` }));
    indexed += documents;
    const figures = await taken(documents, platform.pid, async () => {
      for (const [index, document] of corpus.entries()) {
        if (withHostile && index % every === 0) await handInHostile();
        await platform.submit([document]);
      }
      await untilIndexed();
    });
    // Before the next turn nothing of this one is left.
    for (let left = 1; left > 0; await sleep(100)) {
      const { pending, processing } = (await platform.ask('GET', '/v1/status')).documents;
      left = pending + processing;
    }
    return figures;
  };
  console.log(`\n== platform: ${documents} documents, beside them one of ${hostile.count} hostile files for every ${every}`);
  try {
    await run(false);
    await compare(() => run(false), () => run(true));
    const { documents: counts } = await platform.ask('GET', '/v1/status');
    console.log(`${refused} hostile files were handed in; failed in the end: ${counts.failed}`);
    await platform.stop();
  } finally {
    hostile.remove();
    await rm(root, { recursive: true, force: true });
  }
};

console.log(`${new Date().toISOString()}, Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model}, load average ${loadavg()[0].toFixed(1)}`);
if (options.only.includes('parser')) await ofParser();
if (options.only.includes('platform')) await ofPlatform();
console.log(`\nload average at the end ${loadavg()[0].toFixed(1)}`);
