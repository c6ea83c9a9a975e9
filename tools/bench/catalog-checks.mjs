/**
 * What detects a flipped byte of the catalog, and what does it cost? Compares checksums by page (ADR 28) with checksums by row and with SQLite's own checks.
 *
 *   node --conditions=@palimpsest/source tools/bench/catalog-checks.mjs [--chunks 1000000] [--flips 240] [--rounds 2]
 *
 * Linux. The first part flips one byte at a time of a catalog of 40 documents and reads everything through the port, without any check:
 * how many answers are wrong, and which checks would have found the byte? A checksum by row finds at most what changed the content of a row.
 * The second part fills a catalog and runs each check on it, from memory and with its pages dropped from the page cache. On a busy
 * machine compare CPU times.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { parseArgs } from 'node:util';
import { crc32 } from 'node:zlib';
import { openSqliteCatalog } from '@palimpsest/adapters-sqlite';
import { position } from '@palimpsest/knowledge/values';
import { damageAtRest } from '../../libs/adapters/sqlite/src/catalog/page-check.ts';
import { SqliteCatalog } from '../../libs/adapters/sqlite/src/catalog/sqlite-catalog.ts';
import { applyUpTo, changesAt, everything } from '../../libs/adapters/sqlite/test/catalog-history.ts';
import { seededRandom } from './lib/figures.mjs';

const { values: options } = parseArgs({
  options: {
    chunks: { type: 'string', default: '1000000' },
    flips: { type: 'string', default: '240' },
    rounds: { type: 'string', default: '2' },
  },
});
const DOCUMENTS = 40;
const PER_DOCUMENT = 100;
const SEALED_BYTES = 1_500;
const TABLES = ['knowledge_bases', 'documents', 'versions', 'chunks', 'generations', 'tenant_use', 'progress'];
const COLUMNS = 'tenant, id, scope, document, idx, start, "end", from_line, to_line, page, content_hash, language, symbol';

const folder = mkdtempSync(join(tmpdir(), 'bench-catalog-'));
const textOf = (value) =>
  JSON.stringify(value, (_, part) =>
    typeof part === 'bigint' ? String(part) : ArrayBuffer.isView(part) ? Buffer.from(part).toString('base64') : part,
  );

const opened = (file, work) => {
  const db = new DatabaseSync(file);
  try {
    return work(db);
  } finally {
    if (db.isOpen) db.close();
  }
};
const pragma = (file, name) =>
  opened(file, (db) =>
    textOf(
      db
        .prepare(`PRAGMA ${name}`)
        .all()
        .map((row) => Object.values(row)[0]),
    ),
  );
const finds = (file, name) => {
  try {
    return pragma(file, name) !== '["ok"]';
  } catch {
    return true;
  }
};
const rowsOf = (file) =>
  opened(
    file,
    (db) =>
      new Set(
        TABLES.flatMap((table) =>
          db
            .prepare(`SELECT * FROM ${table} NOT INDEXED`)
            .all()
            .map((row) => textOf([table, row])),
        ),
      ),
  );
/** Whether a row has a content that it did not have before. */
const changedRow = (file, before) => {
  try {
    return [...rowsOf(file)].some((row) => !before.has(row));
  } catch {
    return true;
  }
};
/** Undefined when SQLite or the code refuses to answer. */
const answers = async (file) => {
  const db = new DatabaseSync(file);
  try {
    return textOf(await everything(new SqliteCatalog(db, undefined, () => undefined), DOCUMENTS));
  } catch {
    return undefined;
  } finally {
    if (db.isOpen) db.close();
  }
};

const flips = async (count) => {
  const file = join(folder, 'small.db');
  const catalog = await openSqliteCatalog({ file });
  await applyUpTo(catalog, DOCUMENTS);
  await catalog.close();
  const whole = await answers(file);
  const [bytes, rows, sums] = [readFileSync(file), rowsOf(file), readFileSync(`${file}-pages`)];
  const random = seededRandom(28);
  const found = { wrong: 0, pages: 0, row: 0, quick: 0, integrity: 0, rowOrIntegrity: 0 };
  for (let i = 0; i < count; i++) {
    const bad = Buffer.from(bytes);
    bad[Math.floor(random() * bytes.length)] ^= 1 + Math.floor(random() * 255);
    const copy = join(folder, `flip-${i}.db`);
    writeFileSync(copy, bad);
    writeFileSync(`${copy}-pages`, sums);
    const pages = damageAtRest(copy) !== undefined;
    const answer = await answers(copy);
    if (answer === undefined || answer === whole) continue;
    const [row, quick, integrity] = [changedRow(copy, rows), finds(copy, 'quick_check'), finds(copy, 'integrity_check')];
    const counts = { wrong: true, pages, row, quick, integrity, rowOrIntegrity: row || integrity };
    for (const [name, counted] of Object.entries(counts)) found[name] += Number(counted);
  }
  console.log(
    `${count} flips, one at a time: ${found.wrong} wrong answers without a check. Found by page checksums ${found.pages}, row checksums at most ${found.row}, quick_check ${found.quick}, integrity_check ${found.integrity}, rows and integrity_check together ${found.rowOrIntegrity}`,
  );
};

const filled = async (chunks) => {
  const file = join(folder, 'large.db');
  const catalog = await openSqliteCatalog({ file });
  const sealed = (change) =>
    change.change === 'document-indexed'
      ? { ...change, contents: change.contents.map((content) => ({ ...content, sealedText: new Uint8Array(SEALED_BYTES) })) }
      : change;
  for (let n = 1; n % 1000 !== 0 || (await catalog.chunkCount()) < chunks; n++)
    await catalog.apply(changesAt(n, PER_DOCUMENT).map(sealed), position(BigInt(n)));
  console.log(`${await catalog.chunkCount()} chunks, ${(statSync(file).size / 2 ** 20).toFixed(0)} MiB`);
  await catalog.close();
  return file;
};

const rowSums = (file) =>
  opened(file, (db) => {
    db.function('row_sum', { deterministic: true, varargs: true }, (...values) => crc32(values.join('\0')));
    return db.prepare(`SELECT sum(row_sum(${COLUMNS})) FROM chunks`).get();
  });
const CHECKS = {
  'page checksums': (file) => damageAtRest(file),
  quick_check: (file) => pragma(file, 'quick_check'),
  integrity_check: (file) => pragma(file, 'integrity_check'),
  'a checksum of each chunk row': rowSums,
};

const measure = (file) => {
  for (const [name, check] of Object.entries(CHECKS))
    for (const cache of ['warm', 'cold']) {
      if (cache === 'warm') readInto(file);
      else execFileSync('dd', [`of=${file}`, 'oflag=nocache', 'conv=notrunc,fdatasync', 'count=0'], { stdio: 'ignore' });
      const [began, cpu] = [performance.now(), process.cpuUsage()];
      check(file);
      const { user, system } = process.cpuUsage(cpu);
      console.log(`  ${name}, ${cache}: ${((performance.now() - began) / 1000).toFixed(2)} s, CPU ${((user + system) / 1e6).toFixed(2)} s`);
    }
};
const readInto = (file) => execFileSync('cat', [file], { stdio: ['ignore', 'ignore', 'inherit'] });

console.log(`${new Date().toISOString()}, Node ${process.version}, load average ${loadavg()[0].toFixed(1)}`);
try {
  await flips(Number(options.flips));
  const file = await filled(Number(options.chunks));
  for (let round = 0; round < Number(options.rounds); round++) measure(file);
} finally {
  rmSync(folder, { recursive: true });
}
console.log(`load average at the end ${loadavg()[0].toFixed(1)}`);
