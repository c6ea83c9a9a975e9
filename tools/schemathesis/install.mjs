/** Installs schemathesis into its own environment: about ten seconds the first time, then nothing. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const REQUIREMENTS = fileURLToPath(new URL('./requirements.txt', import.meta.url));
const VENV = fileURLToPath(new URL('../../node_modules/.cache/schemathesis/venv', import.meta.url));
const MARK = join(VENV, 'installed.txt');

const call = (program, args) => {
  const { status, error } = spawnSync(program, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  if (error || status !== 0) throw new Error(`${program} ${args.join(' ')}: ${error?.message ?? `exit code ${status}`}`);
};

/** The path of its command. @throws Error with a single line if Python is missing, or the package cannot be installed */
export const schemathesis = () => {
  const wanted = readFileSync(REQUIREMENTS, 'utf8');
  const command = join(VENV, 'bin', 'st');
  if (existsSync(MARK) && readFileSync(MARK, 'utf8') === wanted && existsSync(command)) return command;
  const python = ['python3', 'python'].find(
    (name) => spawnSync(name, ['-c', 'import sys, venv; sys.exit(sys.version_info < (3, 10))'], { stdio: 'ignore' }).status === 0,
  );
  if (python === undefined)
    throw new Error('Python 3.10 or later with its module venv must be on the PATH: install it, and run this again');
  rmSync(VENV, { recursive: true, force: true });
  call(python, ['-m', 'venv', VENV]);
  call(join(VENV, 'bin', 'pip'), ['install', '--quiet', '--disable-pip-version-check', '--requirement', REQUIREMENTS]);
  writeFileSync(MARK, wanted);
  return command;
};
