/**
 * What does it cost that removed rows leave the catalog's file? A catalog is filled, then random documents are deleted. `purge` after every
 * `--every` documents runs a WAL checkpoint, which zeroes the unused space of the pages that it copies. For comparison, `VACUUM` at the end.
 *
 *   node --conditions=@palimpsest/source tools/bench/catalog-purge.mjs [--documents 17500] [--per 10] [--every 500] [--deleted 0.1]
 *
 * Writers wait while a purge runs. For the cost of the zeroing alone, compare with a version before it. On a busy machine compare CPU times.
 */
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { parseArgs } from 'node:util';
import { openSqliteCatalog } from '@palimpsest/adapters-sqlite';
import { documentId, position, tenantId } from '@palimpsest/knowledge/values';
import { changesAt } from '../../libs/adapters/sqlite/test/catalog-history.ts';
import { median, seededRandom } from './lib/figures.mjs';

const { values: options } = parseArgs({
  options: {
    documents: { type: 'string', default: '17500' },
    per: { type: 'string', default: '10' },
    every: { type: 'string', default: '500' },
    deleted: { type: 'string', default: '0.1' },
  },
});
const [documents, per, every, deleted] = [options.documents, options.per, options.every, options.deleted].map(Number);
const SEALED_BYTES = 1_500;

const folder = mkdtempSync(join(tmpdir(), 'bench-purge-'));
const file = join(folder, 'catalog.db');
const mib = (bytes) => `${(bytes / 2 ** 20).toFixed(0)} MiB`;
const ms = (value) => `${value.toFixed(0)} ms`;

/** Ids in random order, as those of the platform are: neighbours in time are not neighbours in the file. */
const scattered = (text) => text.slice(0, 1) + Buffer.from(text.slice(1).padEnd(31, '0')).reverse().toString();
const changeOf = (change) => {
  const { documentId: id, chunks: places, contents } = change;
  return {
    ...change,
    ...(id ? { documentId: documentId(scattered(id)) } : {}),
    ...(places ? { chunks: places.map((place) => ({ ...place, chunkId: scattered(place.chunkId) })) } : {}),
    ...(contents
      ? { contents: contents.map((one) => ({ ...one, chunkId: scattered(one.chunkId), sealedText: new Uint8Array(SEALED_BYTES) })) }
      : {}),
  };
};

let at = 0n;
const run = async (name, catalog, changes) => {
  const [purges, wal] = [[], []];
  const [began, cpu] = [performance.now(), process.cpuUsage()];
  for (const [n, change] of changes.entries()) {
    await catalog.apply(change(), position((at += 1n)));
    if ((n + 1) % every !== 0 && n + 1 !== changes.length) continue;
    await catalog.commit();
    wal.push(statSync(`${file}-wal`).size);
    const start = performance.now();
    await catalog.purge();
    purges.push(performance.now() - start);
  }
  const { user, system } = process.cpuUsage(cpu);
  console.log(
    `${name}: ${((performance.now() - began) / 1000).toFixed(1)} s, CPU ${((user + system) / 1e6).toFixed(1)} s; ${purges.length} purges of ${mib(median(wal))}: median ${ms(median(purges))}, at most ${ms(Math.max(...purges))}, ${(purges.reduce((sum, one) => sum + one, 0) / 1000).toFixed(1)} s in total`,
  );
};

console.log(`${new Date().toISOString()}, Node ${process.version}, load average ${loadavg()[0].toFixed(1)}`);
try {
  const catalog = await openSqliteCatalog({ file });
  const added = Array.from({ length: documents }, (_, n) => () => changesAt(n + 1, per).map(changeOf));
  await run(`${documents} documents added`, catalog, added);
  console.log(`${await catalog.chunkCount()} chunks, ${mib(statSync(file).size)}`);
  const random = seededRandom(54);
  const ids = Array.from({ length: Math.round(documents * deleted) }, () => {
    const n = 1 + Math.floor(random() * documents);
    return documentId(scattered(n.toString(16).padStart(31, '0').padStart(32, 'd')));
  });
  const deletions = ids.map((id) => () => [{ change: 'document-deleted', tenant: tenantId('acme'), documentId: id }]);
  await run(`${ids.length} documents deleted`, catalog, deletions);
  await catalog.close();
  const db = new DatabaseSync(file);
  db.exec('PRAGMA wal_autocheckpoint = 0');
  const [began, cpu] = [performance.now(), process.cpuUsage()];
  db.exec('VACUUM');
  const wal = statSync(`${file}-wal`).size;
  db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  const { user, system } = process.cpuUsage(cpu);
  console.log(
    `VACUUM and its checkpoint: ${ms(performance.now() - began)}, CPU ${((user + system) / 1e6).toFixed(1)} s, ${mib(wal)} in the write-ahead file`,
  );
  db.close();
} finally {
  rmSync(folder, { recursive: true });
}
console.log(`load average at the end ${loadavg()[0].toFixed(1)}`);
