import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { openSqliteCatalog } from '@palimpsest/adapters-sqlite';
import { median, timed } from './figures.mjs';

/** The cost of counting everything in a replica with a large catalog, as /v1/status and a scrape of /metrics do. It blocks all other requests. */

const ROUNDS = 5;
const TENANTS = 100;
const PER_DOCUMENT = 10;

/** Rows like those of the catalog, except for the texts, which no count reads. */
const fill = (file, chunks) => {
  const db = new DatabaseSync(file);
  const numbers = (count) => `WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${count - 1})`;
  const tenant = `'tenant-' || (i / ${PER_DOCUMENT} % ${TENANTS})`;
  const documents = chunks / PER_DOCUMENT;
  db.exec('PRAGMA synchronous = OFF; BEGIN');
  db.exec(`${numbers(chunks)} INSERT INTO chunks (tenant, id, scope, document, idx, start, "end", from_line, to_line, content_hash, language, sealed_text)
    SELECT ${tenant}, lower(hex(randomblob(16))), 'deployment', printf('%032x', i / ${PER_DOCUMENT}), i % ${PER_DOCUMENT}, 0, 900, 1, 10, lower(hex(randomblob(32))), 'en', zeroblob(100) FROM n`);
  db.exec(`${numbers(documents)} INSERT INTO documents (tenant, id, scope, knowledge_base, source, title, status, version, media_type, bytes, labels, origin, submitted_at)
    SELECT 'tenant-' || (i % ${TENANTS}), printf('%032x', i), 'deployment', 'default', 'source ' || i, 'title', 'indexed', 1, 'text/plain', 9000, '[]', 'UserContent', '2026-01-01' FROM n`);
  db.exec('COMMIT');
  db.close();
};

export const counting = async (chunks) => {
  const folder = await mkdtemp(join(tmpdir(), 'palimpsest-bench-'));
  const file = join(folder, 'catalog.db');
  await (await openSqliteCatalog({ file })).close();
  fill(file, chunks);
  const catalog = await openSqliteCatalog({ file });
  const ms = { chunkCount: [], 'chunkCount of a tenant': [], documentCounts: [] };
  for (let round = 0; round < ROUNDS; round++) {
    ms.chunkCount.push((await timed(() => catalog.chunkCount())).ms);
    ms['chunkCount of a tenant'].push((await timed(() => catalog.chunkCount('tenant-7'))).ms);
    ms.documentCounts.push((await timed(() => catalog.documentCounts())).ms);
  }
  if ((await catalog.chunkCount()) !== chunks) throw new Error('rows are missing');
  const { size } = await stat(file);
  const each = Object.entries(ms).map(([name, values]) => `${name} ${median(values).toFixed(1)} ms`);
  console.log(
    `  ${chunks} chunks, ${chunks / PER_DOCUMENT} documents of ${TENANTS} tenants, ${(size / 2 ** 20).toFixed(0)} MiB without texts: ${each.join(', ')} (median of ${ROUNDS})`,
  );
  await catalog.close();
  await rm(folder, { recursive: true, force: true });
};
