/**
 * How fast is `verify`, compared with a bare read of the log, and does the time of a repair follow the number of differences? In one
 * process on a filled folder, in turns. Linux, Node 24, after `npm run build`, a few minutes:
 *
 *   npx node tools/bench/verify.mjs [--chunks 50000] [--rounds 3] [--folder <kept folder>]
 *
 * A bare read reads and decodes every event of the log, and does nothing with it. Vectors are random. A repair is measured without the
 * verifications before and after it.
 */
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { SYSTEM } from '@palimpsest/foundation';
import { openDataFolder, openEmbeddedAdapters } from '@palimpsest/platform/embedded';
import { platformConfig } from '@palimpsest/platform/settings';
import { VerifyReadModels, WriteDifferences } from '@palimpsest/projections';
import { openEmbeddingStandIn } from './lib/embedding-stand-in.mjs';
import { median, seededRandom, timed } from './lib/figures.mjs';
import { fillFolder } from './lib/fill-folder.mjs';

const number = (value) => ({ type: 'string', default: String(value) });
const { values: options } = parseArgs({ options: { chunks: number(50_000), rounds: number(3), folder: { type: 'string' } } });
const [chunks, rounds] = [Number(options.chunks), Number(options.rounds)];
const ONE_HOUR_MS = 3_600_000;
const seconds = (ms) => `${(ms / 1000).toFixed(2)} s`;

const fail = (error) => {
  throw error;
};

const drain = async (source) => {
  let n = 0;
  for await (const _ of source) n++;
  return n;
};

/** Removes vectors and words of every n-th chunk, half of the differences each. */
const plant = async ({ vectors, lexical, readModels }, count, random) => {
  const [partition] = await vectors.partitions();
  const ids = [];
  for await (const { chunkId } of vectors.entries(partition)) ids.push(chunkId);
  const chosen = new Set();
  while (chosen.size < count) chosen.add(ids[Math.floor(random() * ids.length)]);
  const removals = [...chosen].map((chunkId) => ({ write: 'remove', chunkId }));
  await readModels.whilePaused(async () => {
    await vectors.apply(partition, removals.slice(0, count / 2), await vectors.position(partition));
    await lexical.apply(partition, removals.slice(count / 2), await lexical.position(partition));
  });
};

const measure = async (data, settings) => {
  const { ports, close } = await openEmbeddedAdapters(
    platformConfig({ PALIMPSEST_DATA: data, ...settings }),
    await openDataFolder(data),
    fail,
  );
  const { journal, readModels: runner, digests } = ports;
  runner.start();
  await runner.reached(await journal.log.head(), ONE_HOUR_MS);
  const verify = new VerifyReadModels(ports, runner, digests);
  const writes = new WriteDifferences(ports, SYSTEM.scheduler);
  const times = { raw: [], bare: [], check: [], full: [], incremental: [] };
  let events = 0;
  let last;
  for (let round = 0; round < rounds; round++) {
    times.raw.push((await timed(() => drain(journal.log.readAll()))).ms);
    const bare = await timed(() => drain(journal.readAll()));
    times.bare.push(bare.ms);
    events = bare.result;
    times.check.push((await timed(() => journal.log.check())).ms);
    for (const full of [true, false]) {
      const { result, ms } = await timed(() => verify.run({ full }));
      if (!result.clean || result.full !== full) throw new Error(`verify: ${JSON.stringify(result.differences.slice(0, 3))}`);
      times[full ? 'full' : 'incremental'].push(ms);
      last = result;
    }
  }
  const of = Object.fromEntries(Object.entries(times).map(([name, each]) => [name, median(each)]));
  const compared = last.partitions.reduce((sum, one) => sum + one.chunks, 0);
  console.log(
    `${compared} chunks, ${events} events; medians of ${rounds}, load average ${loadavg()[0].toFixed(1)}\n` +
      `bare read, decoded ${seconds(of.bare)}, not decoded ${seconds(of.raw)}; check of the log ${seconds(of.check)}\n` +
      `verify, all of the log ${seconds(of.full)}: ${(of.bare / of.full).toFixed(2)} of the speed of a bare read (not decoded ${(of.raw / of.full).toFixed(2)})\n` +
      `verify again ${seconds(of.incremental)}: ${(of.bare / of.incremental).toFixed(2)}`,
  );
  const random = seededRandom(7);
  for (const count of [10, 100, 1_000]) {
    const repairs = [];
    for (let round = 0; round < rounds; round++) {
      await plant(ports, count, random);
      const { differences, rows } = await verify.run();
      if (differences.length !== count) throw new Error(`${differences.length} differences were found instead of ${count}`);
      const { ms } = await timed(() => verify.atView((view) => writes.write(view, differences, rows)));
      repairs.push(ms);
      if (!(await verify.run()).clean) throw new Error('differences remain');
    }
    console.log(`repair of ${count} differences: ${repairs.map(seconds).join(', ')}, load average ${loadavg()[0].toFixed(1)}`);
  }
  await verify.close();
  await runner.stop();
  await close();
};

const root = options.folder ?? (await mkdtemp(join(tmpdir(), 'bench-verify-')));
await mkdir(root, { recursive: true });
const standIn = await openEmbeddingStandIn();
try {
  const data = join(root, 'data');
  if (!existsSync(join(root, 'filled'))) {
    const filled = await fillFolder(data, standIn.settings, { chunks, scopes: 1 });
    await writeFile(join(root, 'filled'), '');
    console.log(`filled ${filled.chunks} chunks in ${(filled.ms / 1000).toFixed(0)} s`);
  }
  await measure(data, standIn.settings);
} finally {
  await standIn.close();
  if (options.folder === undefined) await rm(root, { recursive: true, force: true });
}
