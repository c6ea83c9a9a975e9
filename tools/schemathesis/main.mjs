/**
 * `npm run test:schemathesis`: starts the built platform on its own folder, and sends requests that its OpenAPI document allows, and
 * others. Fails if an answer differs from the document. Ends with `N passed, N failed`, counted in operations.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { schemathesis } from './install.mjs';

const MAIN = fileURLToPath(new URL('../../apps/platform/dist/main.js', import.meta.url));
const CONFIG = fileURLToPath(new URL('./schemathesis.toml', import.meta.url));
const FOLDER = fileURLToPath(new URL('.', import.meta.url));

const startPlatform = async (data) => {
  const env = { ...process.env, PALIMPSEST_DATA: data, PALIMPSEST_PORT: '0', PALIMPSEST_LOG_LEVEL: 'error' };
  const child = spawn(process.execPath, [MAIN], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit').then(([code]) => {
    throw new Error(`the platform exited (exit code ${code})`);
  });
  exited.catch(() => undefined);
  const listening = (async () => {
    for await (const line of createInterface({ input: child.stdout })) {
      const url = / listens on (\S+)/.exec(line)?.[1];
      if (url !== undefined) return url;
    }
    return undefined;
  })();
  const url = await Promise.race([listening, exited]);
  child.stdout.resume();
  while (!(await fetch(`${url}/health/ready`)).ok) await sleep(100);
  return { child, url, key: (await readFile(join(data, 'keys', 'local-api-key'), 'utf8')).trim() };
};

/** Runs it, and counts the operations in its final report. */
const run = async (command, { url, key }, reports) => {
  const args = [
    '--config-file',
    CONFIG,
    'run',
    `${url}/openapi.json`,
    '--checks',
    'all',
    '--header',
    `Authorization: Bearer ${key}`,
    '--report',
    'junit',
    '--report-junit-path',
    join(reports, 'report.xml'),
    ...process.argv.slice(2),
  ];
  const child = spawn(command, args, {
    cwd: FOLDER,
    env: { ...process.env, SCHEMATHESIS_HOOKS: '', PYTHONDONTWRITEBYTECODE: '1', NO_COLOR: '1' },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const [code] = await once(child, 'exit');
  const report = await readFile(join(reports, 'report.xml'), 'utf8').catch(() => '');
  const sum = (attribute) =>
    [...report.matchAll(new RegExp(`<testsuite [^>]*\\b${attribute}="(\\d+)"`, 'g'))].reduce(
      (total, [, count]) => total + Number(count),
      0,
    );
  return { code, tests: sum('tests'), failed: sum('failures') + sum('errors') };
};

const folder = await mkdtemp(join(tmpdir(), 'palimpsest-schemathesis-'));
let platform;
let result = { code: 1, tests: 0, failed: 1 };
try {
  const command = schemathesis();
  if (!existsSync(MAIN)) throw new Error('the platform is not built: run npm run build');
  platform = await startPlatform(join(folder, 'data'));
  result = await run(command, platform, folder);
  // Otherwise all later requests would have been refused because of the key, and the checks would have passed.
  const still = await fetch(`${platform.url}/v1/me`, { headers: { authorization: `Bearer ${platform.key}` } });
  if (!still.ok) throw new Error(`the key of this run is no longer valid (${still.status}): most requests were refused because of that`);
} catch (error) {
  console.error(error.message);
  result = { ...result, code: 1 };
} finally {
  if (platform !== undefined && platform.child.exitCode === null) {
    platform.child.kill('SIGTERM');
    await once(platform.child, 'exit');
  }
  await rm(folder, { recursive: true, force: true });
}
const failed = result.code !== 0 || result.tests === 0 ? Math.max(1, result.failed) : 0;
console.log(`${Math.max(0, result.tests - failed)} passed, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);
