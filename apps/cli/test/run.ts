import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { readConfig } from '../src/config.ts';
import { runCli } from '../src/run-cli.ts';

export type Ran = Readonly<{ code: number; out: string; err: string }>;
export type RunOptions = Readonly<{ cwd?: string; env?: NodeJS.ProcessEnv; signal?: AbortSignal }>;

/** Runs one command line in this process and collects what it writes. */
export const run = async (
  args: readonly string[],
  { cwd = '/', env = {}, signal = new AbortController().signal }: RunOptions = {},
): Promise<Ran> => {
  let out = '';
  let err = '';
  const code = await runCli(args, {
    stdout: { write: (text) => (out += text) },
    stderr: { write: (text) => (err += text) },
    cwd,
    config: readConfig(env),
    signal,
  });
  return { code, out, err };
};

/** A temporary folder with these files; `remove` deletes it. */
export const aFolder = async (files: Readonly<Record<string, string>>): Promise<{ path: string; remove: () => Promise<void> }> => {
  const path = await mkdtemp(join(tmpdir(), 'palimpsest-cli-'));
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(path, name)), { recursive: true });
    await writeFile(join(path, name), content);
  }
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
};
