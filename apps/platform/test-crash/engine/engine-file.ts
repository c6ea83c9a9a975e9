import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

let made: string | undefined;

/** The engine in one file, made once for each run of a suite. @throws Error when it cannot be made: before a build, say */
export const engineFile = (): string => {
  if (made !== undefined) return made;
  const folder = mkdtempSync(join(tmpdir(), 'palimpsest-engine-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'engine.mjs');
  execFileSync(process.execPath, [fileURLToPath(new URL('./bundle-engine.ts', import.meta.url)), file], { stdio: ['ignore', 'ignore', 'pipe'] });
  return (made = file);
};
