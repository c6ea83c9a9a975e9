/**
 * How fast is the exact vector scan, and what is the cost of exactness? About a minute.
 *
 *   node --conditions=@palimpsest/source tools/bench/vectors.mjs [--rows 20000,100000] [--dimensions 384] [--spread 1]
 *
 * The data are synthetic: unit vectors around one random centre per 50 rows, from a seeded generator, so that every run has the
 * same ones. A row's distance from its centre is `spread` times the centre's length (1: neighbours have a cosine of about 0.5, like
 * sentences on one subject). Queries come from the same clusters. A plain JavaScript float32 scan also answers every query,
 * alternating in the same run, and the two results are compared. `measured` is the number of rows per query that the bound
 * could not exclude, so that they were compared in float32 (the bound is checked row by row).
 */
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openScanVectorIndex } from '@palimpsest/adapters-vector-scan';
import { selectionIds } from '@palimpsest/contracts';
import { authorise } from '@palimpsest/knowledge/access';
import { chunkId, generationId, position, tenantId, vectorScope } from '@palimpsest/knowledge/values';
import { InMemoryScopeKeys } from '../../libs/test-kit/src/in-memory/in-memory-scope-keys.ts';

const keys = new InMemoryScopeKeys();

const { values: options } = parseArgs({
  options: {
    rows: { type: 'string', default: '20000,100000' },
    dimensions: { type: 'string', default: '384' },
    spread: { type: 'string', default: '1' },
    queries: { type: 'string', default: '60' },
  },
});
const DIMENSIONS = Number(options.dimensions);
const SPREAD = Number(options.spread);
const QUERIES = Number(options.queries);
const BATCH = 500;

let state = 1;
/** From -1 to 1. */
const random = () => (state = (Math.imul(state, 1664525) + 1013904223) | 0) / 2 ** 31;
const unit = (vector) => {
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  return vector.map((value) => value / length);
};
const direction = () => unit(Float32Array.from({ length: DIMENSIONS }, () => random() + random() + random()));
const around = (centre) => {
  const away = direction();
  return unit(centre.map((value, i) => value + SPREAD * away[i]));
};

/** CPU time of this process in ms: on a busy machine, the cost of a query instead of its waiting time. */
const spent = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

const quantile = (numbers, q) => [...numbers].sort((a, b) => a - b)[Math.min(numbers.length - 1, Math.floor(q * numbers.length))];

/** The plain scan: four running sums, then the k best of all scores. */
const plainScan = (rows, count, query, k) => {
  const scores = new Float32Array(count);
  for (let row = 0, at = 0; row < count; row++, at += DIMENSIONS) {
    let a = 0,
      b = 0,
      c = 0,
      d = 0;
    for (let j = 0; j < DIMENSIONS; j += 4) {
      a += rows[at + j] * query[j];
      b += rows[at + j + 1] * query[j + 1];
      c += rows[at + j + 2] * query[j + 2];
      d += rows[at + j + 3] * query[j + 3];
    }
    scores[row] = a + b + c + d;
  }
  const best = [];
  for (let row = 0; row < count; row++) {
    if (best.length === k && scores[row] <= scores[best[k - 1]]) continue;
    let i = Math.min(best.length, k - 1);
    while (i > 0 && scores[best[i - 1]] < scores[row]) i--;
    best.splice(i, 0, row);
    best.length = Math.min(best.length, k);
  }
  return best.map((row) => scores[row]);
};

const scope = { tenant: tenantId('bench'), scope: vectorScope('deployment') };
const partition = { scope, generation: generationId('g1') };
const [permitted] = authorise({ tenant: scope.tenant, teams: [], roles: ['reader'], actor: 'bench' }, [scope.scope]);
const readable = { scope: permitted, generation: partition.generation };

const bench = async (count, root) => {
  const centres = Array.from({ length: Math.ceil(count / 50) }, direction);
  const sample = () => around(centres[Math.floor(((random() + 1) / 2) * centres.length)] ?? centres[0]);
  const rows = new Float32Array(count * DIMENSIONS);
  for (let row = 0; row < count; row++) rows.set(sample(), row * DIMENSIONS);
  const put = (row) => ({
    write: 'put',
    chunkId: chunkId(row.toString(16).padStart(32, '0')),
    vector: rows.subarray(row * DIMENSIONS, (row + 1) * DIMENSIONS),
    attributes: { language: row % 1000 < 990 ? 'en' : 'de', document: `d${Math.floor(row / 20)}` },
  });

  let index = await openScanVectorIndex({ root, keys });
  let began = performance.now();
  for (let from = 0; from < count; from += BATCH)
    await index.apply(
      partition,
      Array.from({ length: Math.min(BATCH, count - from) }, (_, i) => put(from + i)),
      position(BigInt(from + 1)),
    );
  await index.close();
  const writing = performance.now() - began;
  const [file] = readdirSync(root, { recursive: true }).filter((name) => name.endsWith('.dat'));
  const size = statSync(join(root, file)).size;
  const queries = Array.from({ length: QUERIES }, sample);
  console.log(`\n${count} rows of ${DIMENSIONS} dimensions; ${queries.length} queries`);
  console.log(
    `  written ${Math.round(count / (writing / 1000))} rows/s; bytes per vector on disk ${Math.round(size / count)} (float32 alone: ${4 * DIMENSIONS})`,
  );

  const filter = { eq: { field: 'language', value: 'de' } };
  // As a companion scores the results of a search.
  const listed = selectionIds(Array.from({ length: 30 }, (_, i) => put(Math.floor((i * count) / 30)).chunkId));
  const ways = {
    'k 10': (query) => index.search(readable, query, { k: 10 }),
    'k 100': (query) => index.search(readable, query, { k: 100 }),
    'k 10, filter of 1 %': (query) => index.search(readable, query, { k: 10, filter }),
    'k 30 of 30 chunks': (query) => index.search(readable, query, { k: 30, chunks: { only: listed } }),
    spread: async (query) => (await index.spread(readable, query), []),
  };
  for (const [where, cacheBytes] of [
    ['float32 in memory', 2 ** 33],
    ['float32 in the file', 0],
  ]) {
    began = performance.now();
    index = await openScanVectorIndex({ root, keys, cacheBytes });
    const opening = performance.now() - began;
    began = performance.now();
    await index.count(partition);
    const loading = performance.now() - began;
    const held = index.statistics().loadedBytes;
    const named = () => Object.fromEntries(['plain', ...Object.keys(ways)].map((way) => [way, []]));
    const [times, costs, measured] = [named(), named(), named()];
    let wrong = 0;
    // The engine recompiles hot code; that must not be measured.
    for (const query of queries.slice(0, 10)) {
      plainScan(rows, count, query, 10);
      for (const search of Object.values(ways)) await search(query);
    }
    for (const query of queries) {
      began = performance.now();
      let cost = spent();
      const plain = plainScan(rows, count, query, 10);
      costs.plain.push(spent() - cost);
      times.plain.push(performance.now() - began);
      for (const [way, search] of Object.entries(ways)) {
        const before = index.statistics().measured;
        began = performance.now();
        cost = spent();
        const hits = await search(query);
        costs[way].push(spent() - cost);
        times[way].push(performance.now() - began);
        measured[way].push(index.statistics().measured - before);
        if (way === 'k 10' && hits.some(({ score }, i) => Math.abs(score - plain[i]) > 1e-5)) wrong++;
      }
    }
    console.log(
      ` ${where}: opened in ${opening.toFixed(0)} ms, loaded in ${loading.toFixed(0)} ms; ` +
        `${Math.round(held / count)} bytes of memory per vector; ${wrong} results differ from the plain scan`,
    );
    console.log(
      `  plain JavaScript       p50 ${quantile(times.plain, 0.5).toFixed(2)} ms, CPU ${quantile(costs.plain, 0.5).toFixed(2)} ms`,
    );
    for (const way of Object.keys(ways)) {
      const p50 = quantile(times[way], 0.5);
      const rowsMeasured = [0.5, 0.95, 1].map((q) => quantile(measured[way], q)).join(' / ');
      console.log(
        `  ${way.padEnd(22)} p50 ${p50.toFixed(2)} ms, p95 ${quantile(times[way], 0.95).toFixed(2)} ms, ` +
          `CPU ${quantile(costs[way], 0.5).toFixed(2)} ms; ${(quantile(times.plain, 0.5) / p50).toFixed(1)} x plain ` +
          `(CPU ${(quantile(costs.plain, 0.5) / quantile(costs[way], 0.5)).toFixed(1)} x); measured p50 / p95 / max ${rowsMeasured}`,
      );
    }
    await index.close();
  }
};

for (const count of options.rows.split(',').map(Number)) {
  const root = mkdtempSync(join(tmpdir(), 'bench-vectors-'));
  try {
    await bench(count, root);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}
