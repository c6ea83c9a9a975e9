import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

let bundled: string | undefined;

/** The engine and its threads, bundled into one folder once per run of a suite. @throws Error if that fails, e.g. without a build */
export const engineFile = (): string => {
  if (bundled !== undefined) return bundled;
  const folder = mkdtempSync(join(tmpdir(), 'palimpsest-engine-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  execFileSync(process.execPath, [fileURLToPath(new URL('./bundle-engine.ts', import.meta.url)), folder], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  return (bundled = join(folder, 'engine.js'));
};

/** The compile cache for all starts of a run. A process writes to it when it stops, but not when it is killed. */
export const compiledEngine = (): string => join(engineFile(), '..', 'compiled');
