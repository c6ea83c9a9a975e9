/**
 * How fast are backup, check and restore, compared with `cp` of the same folder, and how much memory do they use?
 *
 *   node tools/bench/backup.mjs [--megabytes 256] [--rounds 3]      (from dist; with --conditions=@palimpsest/source: from source)
 *
 * Creates a folder like a platform's (log of chunks with texts and vectors, uploads of 40 kB), then copies, backs up, checks
 * and restores it in turn. `cp` is `cp -a` and `sync -f`: it copies and flushes, and does nothing else. A backup seals, hashes,
 * flushes, reads everything back and compares. Times are wall times, medians of the rounds; compare the ratios. Each step runs in its own
 * process, whose maximum resident memory is printed. A key file avoids the scrypt of a passphrase.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const ME = fileURLToPath(import.meta.url);
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { megabytes: { type: 'string', default: '256' }, rounds: { type: 'string', default: '3' } },
});
const KEY = '5c'.repeat(32);

/** Runs one step; each step has its own process. */
const step = async ([what, data, file]) => {
  const { backUp, checkBackup, keyFrom, restoreBackup } = await import('@palimpsest/backup');
  const secret = keyFrom(KEY);
  const began = performance.now();
  if (what === 'backup') await backUp({ data, target: file, secret, by: 'bench' });
  else if (what === 'check') await checkBackup(file, secret);
  else await restoreBackup({ file, data, secret });
  const seconds = (performance.now() - began) / 1000;
  process.stdout.write(
    JSON.stringify({
      seconds,
      megabytes: process.resourceUsage().maxRSS / 1024,
      cpu: process.cpuUsage().user / 1e6 + process.cpuUsage().system / 1e6,
    }),
  );
};

const run = (...args) => {
  const { stdout, stderr, status } = spawnSync(process.execPath, [...process.execArgv, ME, ...args], { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
};

/** Half log, half uploads. */
const fill = async (root, megabytes) => {
  const { folderLayout } = await import('@palimpsest/backup');
  const { openFolderBlobStore, openMasterKey } = await import('@palimpsest/adapters-folder');
  const { openSqliteEventLog } = await import('@palimpsest/adapters-sqlite');
  const { blobKey, streamName } = await import('@palimpsest/knowledge/ports');
  const layout = folderLayout(root);
  const [log, blobs] = [await openSqliteEventLog({ file: layout.log }), await openFolderBlobStore(layout.blobs)];
  await openMasterKey(layout.masterKey);
  const event = (type, data) => ({
    id: randomUUID(),
    type,
    data,
    metadata: { tenant: 'acme', scope: 'deployment', actor: 'bench', correlationId: 'bench', schemaVersion: 1 },
  });
  const chunk = () =>
    event('KnowledgeChunkIndexed', {
      sealedText: randomBytes(1_100).toString('base64'),
      sealedVector: randomBytes(1_565).toString('base64'),
    });
  const documents = Math.ceil((megabytes * 1e6) / 80_000);
  const one = async (n) => {
    const blob = blobKey(`documents/acme/${n}/1`);
    await blobs.put(blob, randomBytes(40_000));
    await log.append(
      streamName('document', 'acme', String(n)),
      [event('DocumentSubmitted', { blob, version: 1 }), ...Array.from({ length: 10 }, chunk)],
      'no-stream',
    );
  };
  for (let n = 0; n < documents; n += 32) await Promise.all(Array.from({ length: Math.min(32, documents - n) }, (_, i) => one(n + i)));
  await log.close();
  return documents;
};

const sizeOf = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true }).reduce(
    (sum, entry) => sum + (entry.isFile() ? statSync(join(entry.parentPath, entry.name)).size : 0),
    0,
  );
const median = (numbers) => [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)];

const bench = async () => {
  const folder = mkdtempSync(join(tmpdir(), 'bench-backup-'));
  const at = (name) => join(folder, name);
  try {
    const documents = await fill(at('data'), Number(values.megabytes));
    const bytes = sizeOf(at('data'));
    execFileSync('sync', ['-f', folder]);
    const found = { cp: [], backup: [], check: [], restore: [] };
    for (let round = 0; round < Number(values.rounds); round += 1) {
      const began = performance.now();
      execFileSync('cp', ['-a', at('data'), at('copy')]);
      execFileSync('sync', ['-f', folder]);
      found.cp.push({ seconds: (performance.now() - began) / 1000, megabytes: 0, cpu: 0 });
      found.backup.push(run('backup', at('data'), at('b.backup')));
      found.check.push(run('check', at('data'), at('b.backup')));
      found.restore.push(run('restore', at('restored'), at('b.backup')));
      for (const name of ['copy', 'b.backup', 'restored']) rmSync(at(name), { recursive: true });
    }
    console.log(`${documents} documents, ${(bytes / 1e6).toFixed(0)} MB; load average ${loadavg()[0].toFixed(1)}`);
    const cp = median(found.cp.map(({ seconds }) => seconds));
    for (const [name, rounds] of Object.entries(found)) {
      const [seconds, cpu] = [median(rounds.map((each) => each.seconds)), median(rounds.map((each) => each.cpu))];
      const memory = Math.max(...rounds.map((each) => each.megabytes));
      console.log(
        `${name.padEnd(8)} ${seconds.toFixed(2)} s  ${(bytes / 1e6 / seconds).toFixed(0)} MB/s  ${(seconds / cp).toFixed(2)} × cp${name === 'cp' ? '' : `  ${cpu.toFixed(2)} s CPU  ${memory.toFixed(0)} MB resident at most`}`,
      );
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
};

await (positionals.length > 0 ? step(positionals) : bench());
