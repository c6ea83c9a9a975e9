/**
 * What does sealing the files of the vector index and of BM25 cost? Some minutes.
 *
 *   node --conditions=@palimpsest/source tools/bench/sealed-indexes.mjs [--chunks 50000] [--rounds 3] [--base <folder>]     (Node 24)
 *
 * Synthetic chunks (seeded): 384 dimensions, about 100 words each. Each side runs in processes of its own, in turns: `sealed` with the keys
 * of a data folder, `plain` with keys that only copy the bytes, so that everything but the encryption is the same. `--base`: a checkout of a
 * version that did not seal, as a third side. Compare ratios; milliseconds depend on the machine.
 *   write    all chunks, in batches of 128 as a rebuild writes them, with a flush after every eighth; wall time and CPU time of all threads
 *   start    opening both indexes after a clean stop; the first search of each, which reads its files; opening without flush manifests,
 *            which reads all files
 *   search   p50 of 1,000 searches of each index, k 10, of all sides in turns in one process
 */
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { openBm25Index } from '@palimpsest/adapters-bm25';
import { openFolderBlobStore, openScopeKeys } from '@palimpsest/adapters-folder';
import { openScanVectorIndex } from '@palimpsest/adapters-vector-scan';
import { authorise } from '@palimpsest/knowledge/access';
import { chunkId, generationId, position, tenantId, vectorScope } from '@palimpsest/knowledge/values';

const DIMENSIONS = 384;
const BATCH = 128;
const FLUSH_EVERY = 8;
const QUERIES = 1000;
const WARM = 100;
/** Per round. */
const STARTS = 3;

const { values: options } = parseArgs({
  options: {
    chunks: { type: 'string', default: '50000' },
    rounds: { type: 'string', default: '3' },
    base: { type: 'string' },
    phase: { type: 'string' },
    side: { type: 'string' },
    root: { type: 'string' },
  },
});
const CHUNKS = Number(options.chunks);

const scope = { tenant: tenantId('bench'), scope: vectorScope('deployment') };
const partition = { scope, generation: generationId('g1') };
const [permitted] = authorise({ tenant: scope.tenant, teams: [], roles: ['reader'], actor: 'bench' }, [scope.scope]);
const readable = { scope: permitted, generation: partition.generation };

const diceOf = (seed) => {
  let state = seed;
  return () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32;
};
const VOCABULARY = Math.round(40 * Math.sqrt(CHUNKS * 100));
const wordOf = (dice) => `w${Math.min(VOCABULARY - 1, Math.floor(VOCABULARY ** dice()) - 1).toString(36)}`;
const vectorOf = (dice) => {
  const vector = Float32Array.from({ length: DIMENSIONS }, () => dice() + dice() + dice() - 1.5);
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  return vector.map((value) => value / length);
};
const chunkOf = (number, dice) => ({
  write: 'put',
  chunkId: chunkId((Math.imul(number + 1, 0x9e3779b1) >>> 0).toString(16).padStart(8, '0') + number.toString(16).padStart(24, '0')),
  attributes: { documentId: `d${Math.floor(number / 20)}`, language: 'en' },
  vector: vectorOf(dice),
  text: Array.from({ length: 50 + Math.floor(dice() * 100) }, () => wordOf(dice)).join(' '),
  language: 'en',
});

const keysOf = async (side, root) => {
  if (side !== 'sealed') {
    const transparent = fileURLToPath(new URL('../../libs/test-kit/src/in-memory/transparent-keys.ts', import.meta.url));
    return existsSync(transparent) ? (await import(transparent)).TRANSPARENT_KEYS : undefined;
  }
  const keyFile = join(root, 'master.key');
  if (!existsSync(keyFile)) writeFileSync(keyFile, randomBytes(32));
  return openScopeKeys({ blobs: await openFolderBlobStore(join(root, 'blobs')), masterKey: new Uint8Array(readFileSync(keyFile)) });
};

const timed = async (work) => {
  const [began, before] = [performance.now(), process.cpuUsage()];
  const result = await work();
  const { user, system } = process.cpuUsage(before);
  return { ms: performance.now() - began, cpu: (user + system) / 1000, result };
};

const open = async (keys, root) => {
  const at = { root: join(root, 'read-models'), keys };
  return { vectors: await openScanVectorIndex(at), lexical: await openBm25Index(at) };
};

const bytesBelow = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);

const PHASES = {
  write: async (side, root) => {
    const { vectors, lexical } = await open(await keysOf(side, root), root);
    const dice = diceOf(7);
    const spent = { vectors: { ms: 0, cpu: 0 }, lexical: { ms: 0, cpu: 0 } };
    const write = async (name, work) => {
      const { ms, cpu } = await timed(work);
      spent[name].ms += ms;
      spent[name].cpu += cpu;
    };
    for (let from = 0, batch = 1; from < CHUNKS; from += BATCH, batch++) {
      const chunks = Array.from({ length: Math.min(BATCH, CHUNKS - from) }, (_, i) => chunkOf(from + i, dice));
      for (const [name, index] of Object.entries({ vectors, lexical }))
        await write(name, async () => {
          await index.apply(partition, chunks, position(BigInt(batch)));
          if (batch % FLUSH_EVERY === 0) await index.flush();
        });
    }
    await write('vectors', () => vectors.close());
    await write('lexical', () => lexical.close());
    return {
      'write vectors, ms': spent.vectors.ms,
      'write vectors, CPU ms': spent.vectors.cpu,
      'write words, ms': spent.lexical.ms,
      'write words, CPU ms': spent.lexical.cpu,
      'on disk, MB': bytesBelow(join(root, 'read-models')) / 1e6,
    };
  },
  start: async (side, root) => {
    const keys = await keysOf(side, root);
    const opened = await timed(() => open(keys, root));
    const { vectors, lexical } = opened.result;
    const dice = diceOf(11);
    const firstVector = await timed(() => vectors.search(readable, vectorOf(dice), { k: 10 }));
    const firstWord = await timed(() => lexical.search(readable, wordOf(dice), { k: 10 }));
    globalThis.gc?.();
    const resident = process.memoryUsage.rss() / 1e6;
    await vectors.close();
    await lexical.close();
    return {
      'open after a clean stop, ms': opened.ms,
      'first search of vectors, ms': firstVector.ms,
      'first search of words, ms': firstWord.ms,
      'resident memory, MB': resident,
    };
  },
  reading: async (side, root) => {
    for (const name of ['vectors.synced', 'lexical.synced']) rmSync(join(root, 'read-models', name));
    const keys = await keysOf(side, root);
    const { ms, cpu, result } = await timed(() => open(keys, root));
    await result.vectors.close();
    await result.lexical.close();
    return { 'open and read all files, ms': ms, 'open and read all files, CPU ms': cpu };
  },
};

/** All sides in one process, each query on all of them in turns: the same load for each. `base` runs its own code. */
const search = async (roots) => {
  const opened = {};
  for (const [side, root] of Object.entries(roots)) {
    const ofBase = (adapter) => import(join(options.base, `libs/adapters/${adapter}/src/index.ts`));
    const at = { root: join(root, 'read-models'), keys: await keysOf(side, root) };
    opened[side] =
      side === 'base'
        ? {
            vectors: await (await ofBase('vector-scan')).openScanVectorIndex(at),
            lexical: await (await ofBase('bm25')).openBm25Index(at),
          }
        : await open(at.keys, root);
  }
  const dice = diceOf(11);
  const sides = Object.keys(roots);
  const times = Object.fromEntries(sides.map((side) => [side, { vectors: [], words: [] }]));
  for (let i = 0; i < QUERIES + WARM; i++) {
    const [asked, text] = [vectorOf(dice), [wordOf(dice), wordOf(dice), wordOf(dice), wordOf(dice)].join(' ')];
    for (const side of i % 2 === 0 ? sides : sides.toReversed()) {
      const vectors = await timed(() => opened[side].vectors.search(readable, asked, { k: 10 }));
      const words = await timed(() => opened[side].lexical.search(readable, text, { k: 10 }));
      if (i < WARM) continue;
      times[side].vectors.push(vectors.ms);
      times[side].words.push(words.ms);
    }
  }
  for (const { vectors, lexical } of Object.values(opened)) {
    await vectors.close();
    await lexical.close();
  }
  return (side) => ({ 'search vectors, p50 ms': median(times[side].vectors), 'search words, p50 ms': median(times[side].words) });
};

const median = (numbers) => numbers.toSorted((a, b) => a - b)[numbers.length >> 1];

const inProcess = (side, phase, root) => {
  const here = fileURLToPath(new URL('../..', import.meta.url));
  const folder = side === 'base' ? options.base : here;
  if (side === 'base') cpSync(fileURLToPath(import.meta.url), join(folder, 'tools/bench/sealed-indexes.mjs'));
  const script = join(folder, 'tools/bench/sealed-indexes.mjs');
  const args = ['--phase', phase, '--side', side, '--root', root, '--chunks', String(CHUNKS)];
  const { stdout, stderr, status } = spawnSync(process.execPath, ['--expose-gc', '--conditions=@palimpsest/source', script, ...args], {
    cwd: folder,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
};

const compare = async () => {
  const sides = options.base === undefined ? ['plain', 'sealed'] : ['base', 'plain', 'sealed'];
  const seen = new Map();
  const note = (side, figures) => {
    for (const [figure, value] of Object.entries(figures)) {
      const bySide = seen.get(figure) ?? Object.fromEntries(sides.map((name) => [name, []]));
      bySide[side].push(value);
      seen.set(figure, bySide);
    }
  };
  const measure = (phase, roots, turn) => {
    for (const side of turn % 2 === 0 ? sides : sides.toReversed()) note(side, inProcess(side, phase, roots[side]));
  };
  for (let round = 0; round < Number(options.rounds); round++) {
    const roots = Object.fromEntries(sides.map((side) => [side, mkdtempSync(join(tmpdir(), 'sealed-indexes-'))]));
    for (const root of Object.values(roots)) mkdirSync(join(root, 'read-models'));
    measure('write', roots, round);
    for (let start = 0; start < STARTS; start++) measure('start', roots, start);
    const searched = await search(roots);
    for (const side of sides) note(side, searched(side));
    measure('reading', roots, round);
    for (const root of Object.values(roots)) rmSync(root, { recursive: true });
  }
  console.log(`${CHUNKS} chunks, median of ${options.rounds} rounds`);
  for (const [figure, bySide] of seen) {
    const of = (side) => median(bySide[side]);
    const columns = sides.map((side) => `${side} ${of(side).toFixed(2).padStart(10)}`).join('   ');
    console.log(`${figure.padEnd(34)} ${columns}   sealed : ${sides[0]} = ${(of('sealed') / of(sides[0])).toFixed(2)}`);
  }
};

if (options.phase === undefined) await compare();
else console.log(JSON.stringify(await PHASES[options.phase](options.side, options.root)));
