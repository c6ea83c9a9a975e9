/**
 * How long the platform takes from its start to the first 200 of /health/ready, and its resident memory, on folders of any size:
 *
 *   npx node tools/bench/ready.mjs [--sizes 100000x50,1000000x500] [--rounds 3] [--kill] [--folder <keep the folders here>]
 *
 * Linux, Node 24, after `npm run build`. A size is `<chunks>x<scopes>`, with one tenant per scope. This process fills the folders with the platform's
 * own use cases on its own adapters (submit, chunk, record, project). Only parser and model are stand-ins, with random vectors of 384
 * dimensions: about 600 µs a chunk, so a million takes ten minutes and 8 GB of disk. Then it starts the built platform on each folder, `--rounds` times,
 * alternating with an empty folder, sends one request, and shuts it down, or kills it after it has been idle for 3 s (`--kill`). `--folder` keeps
 * the filled folders for another run.
 */
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { fillFolder, folderBytes } from './lib/fill-folder.mjs';
import { median, timed } from './lib/figures.mjs';
import { PlatformProcess } from './lib/platform-process.mjs';

const { values: options } = parseArgs({
  options: {
    sizes: { type: 'string', default: '100000x50,1000000x500' },
    rounds: { type: 'string', default: '3' },
    kill: { type: 'boolean', default: false },
    folder: { type: 'string' },
  },
});
const ROUNDS = Number(options.rounds);
const sizes = options.sizes.split(',').map((size) => {
  const [chunks, scopes] = size.split('x').map(Number);
  if (!Number.isSafeInteger(chunks) || !Number.isSafeInteger(scopes) || scopes < 1)
    throw new Error(`--sizes: expected <chunks>x<scopes>, got ${size}`);
  return { name: size, chunks, scopes };
});
const SETTINGS = {
  PALIMPSEST_OPENAI_MODEL: 'bench-none',
  PALIMPSEST_OPENAI_BASE_URL: 'http://127.0.0.1:9/v1',
  PALIMPSEST_OPENAI_DIMENSIONS: '384',
  PALIMPSEST_OPENAI_API_KEY: 'none',
};
const MIB = 2 ** 20;
const IDLE_MS = 3_000;

const root = options.folder ?? (await mkdtemp(join(tmpdir(), 'bench-ready-')));
await mkdir(root, { recursive: true });
console.log(
  `${new Date().toISOString()}, Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model}, load average ${loadavg()[0].toFixed(1)}`,
);
try {
  for (const { name, chunks, scopes } of sizes) {
    const done = join(root, `${name}.filled`);
    if (existsSync(done)) continue;
    await rm(join(root, name), { recursive: true, force: true });
    const filled = await fillFolder(join(root, name), SETTINGS, { chunks, scopes });
    await writeFile(done, '');
    console.log(
      `filled ${filled.chunks} chunks in ${scopes} scopes: recorded in ${(filled.recordedMs / 1000).toFixed(0)} s, projected after ${(filled.ms / 1000).toFixed(0)} s; ${((await folderBytes(join(root, name))) / 2 ** 30).toFixed(2)} GiB`,
    );
  }
  const samples = new Map(['empty', ...sizes.map(({ name }) => name)].map((name) => [name, []]));
  for (let round = 0; round < ROUNDS; round++)
    for (const [name, taken] of samples) {
      const platform = await PlatformProcess.start(join(root, name), SETTINGS);
      const ready = platform.resident().own;
      // Sparse search only: there is no model. The first search loads a scope, here that of the local key's tenant.
      const { ms } = await timed(() => platform.ask('POST', '/v1/search', { query: 'what is there', strategy: 'SparseOnly' }));
      taken.push({ ready: platform.readyAfterMs, resident: ready, first: ms, after: platform.resident().own });
      if (options.kill) await sleep(IDLE_MS);
      await platform.stop(options.kill ? 'SIGKILL' : 'SIGTERM');
    }
  for (const [name, taken] of samples) {
    const of = (key) => median(taken.map((sample) => sample[key]));
    const all = taken.map(({ ready }) => (ready / 1000).toFixed(2)).join(', ');
    console.log(
      `${name.padEnd(14)} ready after ${(of('ready') / 1000).toFixed(2)} s (${all}), ${(of('resident') / MIB).toFixed(0)} MiB resident; first search ${of('first').toFixed(0)} ms, then ${(of('after') / MIB).toFixed(0)} MiB`,
    );
  }
} finally {
  if (options.folder === undefined) await rm(root, { recursive: true, force: true });
}
console.log(`load average at the end ${loadavg()[0].toFixed(1)}`);
