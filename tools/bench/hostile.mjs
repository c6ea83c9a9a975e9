/**
 * How fast good documents are parsed and indexed, alone and mixed with hostile files. Linux, Node 24, after `npm run build`:
 *
 *   npx node --conditions=@palimpsest/source tools/bench/hostile.mjs [--every 10] [--files 300] [--documents 60] [--rounds 3] [--only parser,platform]
 *
 * parser    two callers parse the small good files of libs/adapters/documents/test/fixtures repeatedly. In the mixed rounds, a third one
 *           parses a hostile file for every `--every` good ones (one at a time, as fast as possible), of all kinds in the suite.
 *           Files a second, alternating between alone and mixed.
 * platform  the built platform with its model on an empty folder: `--documents` short documents, and the same number with a hostile file
 *           submitted before every `--every` of them, of the kinds that must be refused (others are indexed, at the cost of a document).
 *           Good documents a second until all of them are indexed, alternating.
 *
 * Compare the ratios within one run. On a machine with other load, the ratio per CPU second is more reliable: good documents per second of
 * CPU time, whatever other processes use. Hostile files are created beforehand.
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

/** Rates of `count` good documents: per second of wall time, and per second of CPU time. */
const taken = async (count, pid, work) => {
  const [began, before] = [performance.now(), cpuMs(pid)];
  await work();
  return { perSecond: (count * 1000) / (performance.now() - began), perCpuSecond: (count * 1000) / (cpuMs(pid) - before) };
};

/** Alternates, so that other load on the machine affects both alike. */
const compare = async (alone, mixed) => {
  const rows = [];
  for (let round = 0; round < rounds; round++) {
    const one = round % 2 === 0 ? await alone() : undefined;
    const other = await mixed();
    const first = one ?? (await alone());
    rows.push({
      'alone /s': first.perSecond,
      'mixed /s': other.perSecond,
      ratio: other.perSecond / first.perSecond,
      'alone per CPU second': first.perCpuSecond,
      'mixed per CPU second': other.perCpuSecond,
      'ratio per CPU second': other.perCpuSecond / first.perCpuSecond,
    });
  }
  console.table(rows.map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, value.toFixed(2)]))));
  for (const which of ['ratio', 'ratio per CPU second'])
    console.log(`${which}, median of ${rounds}: ${median(rows.map((row) => row[which])).toFixed(2)}`);
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
      await Promise.all(
        [0, 1].map(async () => {
          while (begun++ < files) {
            const outcome = await parser.parse(good[next++ % good.length]);
            if (outcome.outcome !== 'parsed') throw new Error(`${outcome.reason}: ${outcome.detail}`);
            onRead(++read);
          }
        }),
      );
    });
  const mixed = async () => {
    const over = new AbortController();
    let due = 0;
    const attack = (async () => {
      for (let sent = 0; !over.signal.aborted;) {
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
    await compare(() => goodFiles(), mixed);
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
  const submitHostile = async () => {
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
    const corpus = syntheticDocuments(documents, { sections: 4, seed: 100 + seed++ }).map((one) => ({
      ...one,
      name: `${seed}-${one.name}`,
    }));
    indexed += documents;
    const figures = await taken(documents, platform.pid, async () => {
      for (const [index, document] of corpus.entries()) {
        if (withHostile && index % every === 0) await submitHostile();
        await platform.submit([document]);
      }
      await untilIndexed();
    });
    // Wait until nothing of this round is left.
    for (let left = 1; left > 0; await sleep(100)) {
      const { pending, processing } = (await platform.ask('GET', '/v1/status')).documents;
      left = pending + processing;
    }
    return figures;
  };
  console.log(`\n== platform: ${documents} documents, mixed with one of ${hostile.count} hostile files for every ${every}`);
  try {
    await run(false);
    await compare(
      () => run(false),
      () => run(true),
    );
    const { documents: counts } = await platform.ask('GET', '/v1/status');
    console.log(`${refused} hostile files submitted; ${counts.failed} failed`);
    await platform.stop();
  } finally {
    hostile.remove();
    await rm(root, { recursive: true, force: true });
  }
};

console.log(
  `${new Date().toISOString()}, Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model}, load average ${loadavg()[0].toFixed(1)}`,
);
if (options.only.includes('parser')) await ofParser();
if (options.only.includes('platform')) await ofPlatform();
console.log(`\nload average at the end ${loadavg()[0].toFixed(1)}`);
