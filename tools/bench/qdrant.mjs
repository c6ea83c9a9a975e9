/**
 * The overhead of the Qdrant adapter compared with the bare client, alternating in one run on one server; about half a minute.
 * Run: npx node --conditions=@palimpsest/source tools/bench/qdrant.mjs [--rows 20000] [--dimensions 384] [--queries 150] [--url http://…]
 *
 * Without --url it starts the test server, whose own time is in both columns (a real server is faster, and then the adapter's
 * share is larger). `bare`: official client, UUIDs as ids, one filter on a tenant, batches of the same size, results with their chunk ids.
 * The adapter is measured with its three kinds of scores. Also checks, against an exact scan by the embedded index
 * in the same process, that results have the same order, and with `embedded` that the scores are identical bit for bit.
 */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { QdrantClient } from '@qdrant/js-client-rest';
import { openQdrantVectorIndex } from '@palimpsest/adapters-qdrant';
import { openScanVectorIndex } from '@palimpsest/adapters-vector-scan';
import { authorise } from '@palimpsest/knowledge/access';
import { chunkId, embeddingVersion, generationId, position, tenantId, vectorScope } from '@palimpsest/knowledge/values';
import { quantile, seededRandom, timed } from './lib/figures.mjs';
import { startTestServer } from './lib/test-server.mjs';
import { InMemoryScopeKeys } from '../../libs/test-kit/src/in-memory/in-memory-scope-keys.ts';

const keys = new InMemoryScopeKeys();

const { values: options } = parseArgs({
  options: {
    rows: { type: 'string', default: '20000' },
    dimensions: { type: 'string', default: '384' },
    queries: { type: 'string', default: '150' },
    url: { type: 'string' },
  },
});
const [ROWS, DIMENSIONS, QUERIES] = [options.rows, options.dimensions, options.queries].map(Number);
const BATCH = 500;
const TENANTS = 4;

const random = seededRandom(1);
const unit = () => {
  const values = Float32Array.from({ length: DIMENSIONS }, () => random() + random() - 1);
  const length = Math.hypot(...values);
  return values.map((value) => value / length);
};
const vectors = Array.from({ length: ROWS }, unit);
const idOf = (row) => row.toString(16).padStart(32, '0');
const attributes = (row) => ({ language: row % 10 === 0 ? 'de' : 'en', document: `d${Math.floor(row / 20)}` });
const partitions = Array.from({ length: TENANTS }, (_, n) => ({
  scope: { tenant: tenantId(`t${n}`), scope: vectorScope('deployment') },
  generation: generationId('g1'),
}));
const readable = partitions.map(({ scope, generation }) => {
  const [permitted] = authorise({ tenant: scope.tenant, teams: [], roles: ['reader'], actor: 'bench' }, [scope.scope]);
  return { scope: permitted, generation };
});

const folder = await mkdtemp(join(tmpdir(), 'bench-qdrant-'));
const server = options.url === undefined ? await startTestServer('qdrant-server', ['--data', join(folder, 'server')]) : undefined;
const url = options.url ?? server.address;
const client = new QdrantClient({ url, checkCompatibility: false });
const versionOf = () => embeddingVersion(`bench:any/${DIMENSIONS}`);
const [adapter, exactly, plain] = ['ordered', 'embedded', 'server'].map((scores) =>
  openQdrantVectorIndex({ url, keys, prefix: 'bench', versionOf, scores }),
);
/** Writes like the replicas of the query service: each point with its own position, and occasionally the progress of all. */
const shared = openQdrantVectorIndex({ url, keys, prefix: 'bench-shared', versionOf });
const embedded = await openScanVectorIndex({ root: join(folder, 'scan'), keys });

const makeBare = async () => {
  await client.deleteCollection('bench-bare');
  await client.createCollection('bench-bare', {
    vectors: { chunk: { size: DIMENSIONS, distance: 'Dot' } },
    hnsw_config: { m: 0, payload_m: 16 },
  });
  for (const [field_name, field_schema] of [
    ['tenant', { type: 'keyword', is_tenant: true }],
    ['language', 'keyword'],
  ])
    await client.createPayloadIndex('bench-bare', { wait: true, field_name, field_schema });
};
const rows = (from) => Array.from({ length: Math.min(BATCH, ROWS - from) }, (_, i) => from + i);
const bareUpsert = (from, tenant) =>
  client.upsert('bench-bare', {
    wait: true,
    points: rows(from).map((row) => ({
      id: randomUUID(),
      vector: { chunk: Array.from(vectors[row]) },
      payload: { tenant, chunk: idOf(row), ...attributes(row) },
    })),
  });
const puts = (from) =>
  rows(from).map((row) => ({ write: 'put', chunkId: chunkId(idOf(row)), vector: vectors[row], attributes: attributes(row) }));

/** Medians, and the 20 % quantile, which other load affects less. Ratio above 1: the adapter is faster. */
const say = (what, bare, ours) => {
  const at = (q) => {
    const [theirs, mine] = [quantile(bare, q), quantile(ours, q)];
    return `${theirs.toFixed(2).padStart(7)} ${mine.toFixed(2).padStart(7)} ms, ratio ${(theirs / mine).toFixed(2)}`;
  };
  console.log(`  ${what.padEnd(30)} p20 ${at(0.2)}   p50 ${at(0.5)}`);
};

try {
  await makeBare();
  await adapter.dropAll();
  await shared.dropAll();
  const written = { bare: [], adapter: [], shared: [] };
  for (let from = 0, n = 0; from < ROWS; from += BATCH, n++) {
    const partition = partitions[n % TENANTS];
    const ways = [
      async () => written.bare.push((await timed(() => bareUpsert(from, `t${n % TENANTS}`))).ms),
      async () => written.adapter.push((await timed(() => adapter.apply(partition, puts(from), position(BigInt(n + 1))))).ms),
      async () =>
        written.shared.push(
          (
            await timed(() =>
              shared.put(
                partition,
                puts(from).map((put) => ({ put, at: position(BigInt(n + 1)) })),
              ),
            )
          ).ms,
        ),
    ];
    for (let i = 0; i < ways.length; i++) await ways[(n + i) % ways.length]();
    await embedded.apply(partition, puts(from), position(BigInt(n + 1)));
  }
  // The first write of each tenant creates collections, indexes and partitions.
  const settled = Object.fromEntries(Object.entries(written).map(([way, times]) => [way, times.slice(TENANTS)]));

  const bareQuery = (tenant, vector, ...more) =>
    client.query('bench-bare', {
      query: Array.from(vector),
      using: 'chunk',
      limit: 10,
      params: { exact: true },
      with_payload: ['chunk'],
      filter: { must: [{ key: 'tenant', match: { value: `t${tenant}` } }, ...more] },
    });
  const filter = { eq: { field: 'language', value: 'de' } };
  const ways = {
    bare: bareQuery,
    'bare, filter': (tenant, vector) => bareQuery(tenant, vector, { key: 'language', match: { value: 'de' } }),
    'scores: server': (tenant, vector) => plain.search(readable[tenant], vector, { k: 10 }),
    'scores: ordered': (tenant, vector) => adapter.search(readable[tenant], vector, { k: 10 }),
    'scores: embedded': (tenant, vector) => exactly.search(readable[tenant], vector, { k: 10 }),
    'filter of 10 %': (tenant, vector) => adapter.search(readable[tenant], vector, { k: 10, filter }),
  };
  /** The parts of a result that must equal those of the embedded index. */
  const COMPARED = { 'scores: ordered': ({ chunkId: id }) => id, 'scores: embedded': (hit) => hit };
  const isAsEmbedded = async (tenant, vector, hits, part) =>
    JSON.stringify(hits.map(part)) === JSON.stringify((await embedded.search(readable[tenant], vector, { k: 10 })).map(part));
  const times = Object.fromEntries(Object.keys(ways).map((way) => [way, []]));
  let different = 0;
  for (let i = -20; i < QUERIES; i++) {
    const [tenant, vector] = [Math.abs(i) % TENANTS, unit()];
    const order = Object.entries(ways);
    for (const [way, search] of i % 2 === 0 ? order : order.reverse()) {
      const { ms, result } = await timed(() => search(tenant, vector));
      if (i >= 0) times[way].push(ms);
      if (way in COMPARED && !(await isAsEmbedded(tenant, vector, result, COMPARED[way]))) different++;
    }
  }
  console.log(
    `${ROWS} rows of ${DIMENSIONS} dimensions, ${TENANTS} tenants, ${options.url === undefined ? 'test server' : 'given server'}; bare client, adapter`,
  );
  say(`upsert of ${BATCH} points, wait`, settled.bare, settled.adapter);
  say('the same, as a replica writes', settled.bare, settled.shared);
  for (const way of Object.keys(ways).slice(2)) say(`k 10, ${way}`, times[way.startsWith('filter') ? 'bare, filter' : 'bare'], times[way]);
  console.log(`  results that differ from the embedded index: ${different} of ${2 * (QUERIES + 20)}`);
} finally {
  await client.deleteCollection('bench-bare').catch(() => undefined);
  await adapter.dropAll().catch(() => undefined);
  await shared.dropAll().catch(() => undefined);
  for (const index of [adapter, exactly, plain, shared, embedded]) await index.close();
  await server?.stop();
  await rm(folder, { recursive: true, force: true });
}
