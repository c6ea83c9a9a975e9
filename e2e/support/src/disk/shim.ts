import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const SOURCES = fileURLToPath(new URL('../../../../tools/disk-faults/shim/', import.meta.url));
/** Maps the paths of a data folder to class names. */
export const CLASSES = fileURLToPath(new URL('../../../../tools/disk-faults/path-classes.txt', import.meta.url));

let compiled: string | undefined;

/** The library between a process and its disk (tools/disk-faults). It is compiled once per run of a suite. */
export const shim = (): string => {
  if (compiled !== undefined) return compiled;
  const folder = mkdtempSync(join(tmpdir(), 'palimpsest-shim-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const library = join(folder, 'disk-faults.so');
  const sources = readdirSync(SOURCES)
    .filter((name) => name.endsWith('.c'))
    .map((name) => join(SOURCES, name));
  const { error, status, stderr } = spawnSync(
    'cc',
    ['-shared', '-fPIC', '-O2', '-fvisibility=hidden', '-o', library, ...sources, '-ldl', '-lpthread'],
    { encoding: 'utf8' },
  );
  if (error)
    throw new Error(
      `the suites of faulty disks need a C compiler on Linux, and "cc" cannot be started (${error.message}): install one, on Debian the package gcc with libc6-dev`,
    );
  if (status !== 0) throw new Error(`tools/disk-faults does not compile: ${stderr}`);
  return (compiled = library);
};
