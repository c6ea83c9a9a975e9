/** Python packages in an environment of their own under node_modules/.cache: installed the first time, and again when their list changes. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const CACHE = fileURLToPath(new URL('../../node_modules/.cache', import.meta.url));

const call = (program, args) => {
  const { status, error } = spawnSync(program, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  if (error || status !== 0) throw new Error(`${program} ${args.join(' ')}: ${error?.message ?? `exit code ${status}`}`);
};

/**
 * @param name of the folder in the cache
 * @param requirements path of a file with the pinned packages
 * @param minor lowest version of Python 3
 * @returns the folder with the commands of the environment
 * @throws Error with a single line if Python is missing, or a package cannot be installed
 */
export const pythonEnvironment = (name, requirements, minor = 10) => {
  const folder = join(CACHE, name, 'venv');
  const mark = join(folder, 'installed.txt');
  const bin = join(folder, 'bin');
  const wanted = readFileSync(requirements, 'utf8');
  if (existsSync(mark) && readFileSync(mark, 'utf8') === wanted && existsSync(join(bin, 'python'))) return bin;
  const python = ['python3', 'python'].find(
    (each) => spawnSync(each, ['-c', `import sys, venv; sys.exit(sys.version_info < (3, ${minor}))`], { stdio: 'ignore' }).status === 0,
  );
  if (python === undefined)
    throw new Error(`Python 3.${minor} or later with its module venv must be on the PATH: install it, and run this again`);
  rmSync(folder, { recursive: true, force: true });
  call(python, ['-m', 'venv', folder]);
  call(join(bin, 'pip'), ['install', '--quiet', '--disable-pip-version-check', '--requirement', requirements]);
  writeFileSync(mark, wanted);
  return bin;
};
