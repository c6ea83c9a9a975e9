import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

let made: string | undefined;

/** The engine in one file, with its threads beside it, made once for each run of a suite. @throws Error when it cannot be made: before a build, say */
export const engineFile = (): string => {
  if (made !== undefined) return made;
  const folder = mkdtempSync(join(tmpdir(), 'palimpsest-engine-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  execFileSync(process.execPath, [fileURLToPath(new URL('./bundle-engine.ts', import.meta.url)), folder], { stdio: ['ignore', 'ignore', 'pipe'] });
  return (made = join(folder, 'engine.js'));
};

/** Where its modules lie compiled, for all starts of a run: who is killed leaves nothing there, who is told to stop does. */
export const compiledEngine = (): string => join(engineFile(), '..', 'compiled');
