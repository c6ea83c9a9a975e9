/**
 * How much memory do many small BM25 indexes need when all are in use? Half a minute.
 *
 *   node --conditions=@palimpsest/source tools/bench/lexical-scopes.mjs [scopes]      (default 500)
 *
 * Each scope has 100 to 2,000 chunks of about 100 words (seeded; most are small), drawn by Zipf's law. The indexes are built and closed; then
 * another process opens them, searches each scope once, and prints what its resident memory grew by, after a garbage collection.
 */
import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openBm25Index } from '@palimpsest/adapters-bm25';
import { authorise } from '@palimpsest/knowledge/access';
import { chunkId, generationId, position, tenantId, vectorScope } from '@palimpsest/knowledge/values';
import { InMemoryScopeKeys } from '../../libs/test-kit/src/in-memory/in-memory-scope-keys.ts';

const WORDS_PER_CHUNK = 100;
const VOCABULARY = 40_000;
const MB = 2 ** 20;

const diceOf = (seed) => {
  let state = seed;
  return () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32;
};
const generation = generationId('g1');
const scopeOf = (number) => ({ tenant: tenantId(`t${number}`), scope: vectorScope('deployment') });
const readerOf = (number) => {
  const { tenant, scope } = scopeOf(number);
  const [permitted] = authorise({ tenant, teams: [], roles: ['reader'], actor: 'bench' }, [scope]);
  return { scope: permitted, generation };
};
/** The same keys in both processes. */
const keys = new InMemoryScopeKeys('right', undefined, (size) => Buffer.alloc(size, 7));

const fill = async (root, scopes) => {
  const dice = diceOf(7);
  const sizes = Array.from({ length: scopes }, () => 100 + Math.floor(dice() * dice() * 1900));
  const word = () => `w${Math.floor(VOCABULARY ** dice()).toString(36)}`;
  const index = await openBm25Index({ root, keys });
  let postings = 0;
  for (const [number, size] of sizes.entries()) {
    const puts = Array.from({ length: size }, (_, i) => {
      const words = Array.from({ length: WORDS_PER_CHUNK }, word);
      postings += new Set(words).size;
      return { write: 'put', chunkId: chunkId(i.toString(16).padStart(32, '0')), text: words.join(' '), language: 'und', attributes: {} };
    });
    await index.apply({ scope: scopeOf(number), generation }, puts, position(1n));
  }
  await index.close();
  return { chunks: sizes.reduce((sum, size) => sum + size, 0), postings };
};

/** Linux only. */
const residentMb = async () => {
  globalThis.gc?.();
  return Number(/VmRSS:\s+(\d+) kB/.exec(await readFile('/proc/self/status', 'utf8'))[1]) / 1024;
};

const search = async (root, scopes) => {
  const before = await residentMb();
  const began = performance.now();
  const index = await openBm25Index({ root, keys });
  const opened = performance.now() - began;
  const times = [];
  for (let number = 0; number < scopes; number++) {
    const from = performance.now();
    const hits = await index.search(readerOf(number), 'wa wb w1c', { k: 10 });
    if (hits.length === 0) throw new Error(`scope ${number} has no results`);
    times.push(performance.now() - from);
  }
  let [memory, disk] = [0, 0];
  for (let number = 0; number < scopes; number++) {
    const bytes = await index.bytes({ scope: scopeOf(number), generation });
    memory += bytes.memory;
    disk += bytes.disk;
  }
  const after = await residentMb();
  times.sort((a, b) => a - b);
  console.log(JSON.stringify({ resident: after - before, counted: memory / MB, disk: disk / MB, opened, first: times[times.length >> 1] }));
  await index.close();
};

const [given = '500', readFrom] = process.argv.slice(2);
const scopes = Number(given);
if (readFrom !== undefined) await search(readFrom, scopes);
else {
  const root = await mkdtemp(join(tmpdir(), 'bench-lexical-scopes-'));
  try {
    const { chunks, postings } = await fill(root, scopes);
    const args = ['--expose-gc', '--conditions=@palimpsest/source', fileURLToPath(import.meta.url), given, root];
    const { status, stdout } = spawnSync(process.execPath, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
    if (status !== 0) throw new Error(`the process that searches ended with ${status}`);
    const { resident, counted, disk, opened, first } = JSON.parse(stdout);
    console.log(
      `${scopes} scopes, ${chunks} chunks, ${postings} postings: opened in ${opened.toFixed(0)} ms, first search of a scope p50 ${first.toFixed(2)} ms`,
    );
    console.log(
      `resident memory grew by ${resident.toFixed(0)} MB (by the index's own count ${counted.toFixed(0)} MB); ${disk.toFixed(0)} MB on disk`,
    );
  } finally {
    await rm(root, { recursive: true });
  }
}
