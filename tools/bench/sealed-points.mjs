/**
 * What does it cost that Qdrant gets nothing of documents in the clear? A minute or two.
 *
 *   npx node --conditions=@palimpsest/source tools/bench/sealed-points.mjs --base <folder> [--chunks 5000] [--searches 200] [--url http://…]
 *
 * `--base`: a checkout of a version that sealed nothing. Both versions of the adapter run in this process, in turns, on one server (without
 * --url the test server), with the same synthetic chunks (seeded): 384 dimensions, about 100 words, 20 chunks to a document, eleven
 * attributes of realistic length. Ratios above 1: sealing is slower, or larger. `cpu`: of this process only, without the server; other
 * load affects it least. `payload`: JSON of all points. A range keeps 10 % of the chunks, like the label.
 */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { QdrantClient } from '@qdrant/js-client-rest';
import { openFolderBlobStore, openScopeKeys } from '@palimpsest/adapters-folder';
import { openQdrantLexicalIndex, openQdrantVectorIndex } from '@palimpsest/adapters-qdrant';
import { authorise } from '@palimpsest/knowledge/access';
import { chunkId, embeddingVersion, generationId, position, tenantId, vectorScope } from '@palimpsest/knowledge/values';
import { quantile, seededRandom, timed } from './lib/figures.mjs';
import { startTestServer } from './lib/test-server.mjs';

const { values: options } = parseArgs({
  options: {
    base: { type: 'string' },
    chunks: { type: 'string', default: '5000' },
    searches: { type: 'string', default: '200' },
    url: { type: 'string' },
  },
});
if (options.base === undefined) throw new Error('--base: expected the folder of a checkout of a version that sealed nothing');
const [CHUNKS, SEARCHES] = [options.chunks, options.searches].map(Number);
const DIMENSIONS = 384;
const BATCH = 250;
const WARM = 20;

const random = seededRandom(3);
const VOCABULARY = Math.round(40 * Math.sqrt(CHUNKS * 100));
const word = () => `w${Math.min(VOCABULARY - 1, Math.floor(VOCABULARY ** random()) - 1).toString(36)}`;
const unit = () => {
  const values = Float32Array.from({ length: DIMENSIONS }, () => random() + random() - 1);
  const length = Math.hypot(...values);
  return values.map((value) => value / length);
};
const attributes = (row) => {
  const document = Math.floor(row / 20);
  return {
    documentId: `0192f0c1-7b1e-7c3a-9d2e-${document.toString(16).padStart(12, '0')}`,
    knowledgeBase: 'reports',
    source: `https://intranet.example/reports/2026/quarterly-${document}.md`,
    title: `Quarterly report number ${document} of the department`,
    mediaType: 'text/markdown',
    language: 'en',
    origin: 'UserContent',
    'label.year': String(2016 + (document % 10)),
    'label.team': document % 10 === 0 ? 'red' : 'blue',
    'meta.author': 'Ann Example',
    'meta.created': `2026-01-${String(1 + (document % 28)).padStart(2, '0')}`,
  };
};
const chunks = Array.from({ length: CHUNKS }, (_, row) => {
  const id = chunkId((Math.imul(row + 1, 0x9e3779b1) >>> 0).toString(16).padStart(8, '0') + row.toString(16).padStart(24, '0'));
  const text = Array.from({ length: 50 + Math.floor(random() * 100) }, word).join(' ');
  const [write, shared] = ['put', attributes(row)];
  return {
    vector: { write, chunkId: id, vector: unit(), attributes: shared },
    words: { write, chunkId: id, text, language: 'en', attributes: shared },
  };
});

const scope = { tenant: tenantId('bench'), scope: vectorScope('deployment') };
const partition = { scope, generation: generationId('g1') };
const [permitted] = authorise({ tenant: scope.tenant, teams: [], roles: ['reader'], actor: 'bench' }, [scope.scope]);
const readable = { scope: permitted, generation: partition.generation };

const folder = await mkdtemp(join(tmpdir(), 'bench-points-'));
const server = options.url === undefined ? await startTestServer('qdrant-server', ['--data', join(folder, 'server')]) : undefined;
const url = options.url ?? server.address;
const client = new QdrantClient({ url, checkCompatibility: false });
const keys = openScopeKeys({ blobs: await openFolderBlobStore(join(folder, 'keys')), masterKey: randomBytes(32) });

const opened = (adapter, prefix) => ({
  prefix,
  vectors: adapter.openQdrantVectorIndex({ url, keys, prefix, versionOf: () => embeddingVersion(`bench:any/${DIMENSIONS}`) }),
  words: adapter.openQdrantLexicalIndex({ url, keys, prefix, analyse: (text) => text.split(' '), analyserVersion: 'words@1' }),
});
const base = await import(pathToFileURL(resolve(options.base, 'libs/adapters/qdrant/src/index.ts')).href);
const sides = {
  before: opened(base, 'bench-before'),
  sealed: opened({ openQdrantLexicalIndex, openQdrantVectorIndex }, 'bench-sealed'),
};

/** Runs a call on both sides in turns; wall time and CPU time of each. */
const measured = async (calls, run) => {
  const times = { before: { ms: [], cpu: [] }, sealed: { ms: [], cpu: [] } };
  const results = [];
  for (const [n, call] of calls.entries()) {
    const turn = n % 2 === 0 ? ['before', 'sealed'] : ['sealed', 'before'];
    const both = {};
    for (const side of turn) {
      const began = process.cpuUsage();
      const { ms, result } = await timed(() => run(sides[side], call));
      const { user, system } = process.cpuUsage(began);
      both[side] = result;
      if (n >= Math.min(WARM, calls.length / 10)) {
        times[side].ms.push(ms);
        times[side].cpu.push((user + system) / 1000);
      }
    }
    results.push(both);
  }
  return { times, results };
};
const say = (what, { before, sealed }) => {
  const at = (kind, q) => {
    const [was, is] = [quantile(before[kind], q), quantile(sealed[kind], q)];
    return `${was.toFixed(2).padStart(8)} ${is.toFixed(2).padStart(8)} ms, ratio ${(is / was).toFixed(2)}`;
  };
  console.log(`  ${what.padEnd(34)} p20 ${at('ms', 0.2)}   p50 ${at('ms', 0.5)}   cpu ${at('cpu', 0.5)}`);
};

const payloadBytes = async (prefix, kind) => {
  let [bytes, points, offset] = [0, 0, undefined];
  const { collections } = await client.getCollections();
  const { name } = collections.find((one) => one.name.startsWith(`${prefix}_${kind}`));
  do {
    const page = await client.scroll(name, { limit: 1000, with_payload: true, ...(offset === undefined ? {} : { offset }) });
    for (const { payload } of page.points) bytes += JSON.stringify(payload).length;
    points += page.points.length;
    offset = page.next_page_offset ?? undefined;
  } while (offset !== undefined);
  return bytes / points;
};

const SEARCHED = {
  'vectors, k 10': ({ vectors }, { vector }) => vectors.search(readable, vector, { k: 10 }),
  'vectors, a label that keeps 10 %': ({ vectors }, { vector }) => vectors.search(readable, vector, { k: 10, filter: LABEL }),
  'vectors, a range that keeps 10 %': ({ vectors }, { vector }) => vectors.search(readable, vector, { k: 10, filter: RANGE }),
  'words, k 10': ({ words }, { text }) => words.search(readable, text, { k: 10 }),
  'words, k 100': ({ words }, { text }) => words.search(readable, text, { k: 100 }),
  'words, spread': ({ words }, { text }) => words.spread(readable, text),
};
const LABEL = { eq: { field: 'label.team', value: 'red' } };
const RANGE = { range: { field: 'label.year', gte: '2025' } };
const chunksOf = (result) => JSON.stringify(result.map(({ chunkId: id }) => id));

try {
  const batches = Array.from({ length: Math.ceil(CHUNKS / BATCH) }, (_, n) => ({ n, part: chunks.slice(n * BATCH, (n + 1) * BATCH) }));
  const at = (n) => position(BigInt(n + 1));
  console.log(`${CHUNKS} chunks, ${options.url === undefined ? 'test server' : 'given server'}; before, sealed`);
  for (const kind of ['vector', 'words']) {
    const { times } = await measured(batches, ({ vectors, words }, { n, part }) =>
      (kind === 'vector' ? vectors : words).put(
        partition,
        part.map((chunk) => ({ put: chunk[kind], at: at(n) })),
      ),
    );
    say(`write ${BATCH} chunks, ${kind}`, times);
  }
  for (const [kind, store] of [
    ['vectors', 'vectors'],
    ['words', 'lexical'],
  ]) {
    const [was, is] = [await payloadBytes('bench-before', store), await payloadBytes('bench-sealed', store)];
    console.log(`  payload of a point, ${kind}: ${was.toFixed(0)}, ${is.toFixed(0)} bytes, ratio ${(is / was).toFixed(2)}`);
  }
  const asked = Array.from({ length: SEARCHES + WARM }, () => ({ vector: unit(), text: `${word()} ${word()} ${word()} ${word()}` }));
  let different = 0;
  for (const [what, search] of Object.entries(SEARCHED)) {
    const { times, results } = await measured(asked, search);
    if (!what.includes('spread')) different += results.filter(({ before, sealed }) => chunksOf(before) !== chunksOf(sealed)).length;
    say(what, times);
  }
  console.log(`  results that differ: ${different} of ${asked.length * (Object.keys(SEARCHED).length - 1)}`);
  const verified = await measured(
    Array.from({ length: 4 }, (_, n) => n),
    async ({ vectors }) => {
      const { length } = await Array.fromAsync(vectors.entries(partition));
      if (length !== CHUNKS) throw new Error(`${length} entries of ${CHUNKS}`);
    },
  );
  say('all entries, for verify', verified.times);
} finally {
  for (const { vectors, words } of Object.values(sides))
    for (const index of [vectors, words]) {
      await index.dropAll().catch(() => undefined);
      await index.close();
    }
  await server?.stop();
  await rm(folder, { recursive: true, force: true });
}
