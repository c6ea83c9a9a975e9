import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

const PALIMPSEST = fileURLToPath(new URL('../../../apps/cli/bin/palimpsest.mjs', import.meta.url));

/** The result of a command: `answer` is its output with `--json`, `undefined` if there was none. */
export type Ran<Answer> = Readonly<{ code: number; answer: Answer; stderr: string; seconds: number }>;

/** Runs `palimpsest <args> --json` as a user on the machine of the server: it finds address and key in the data folder. */
export const palimpsest = async <Answer = unknown>(data: string, ...args: readonly string[]): Promise<Ran<Answer>> => {
  const started = performance.now();
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('PALIMPSEST_') && name !== 'NODE_OPTIONS');
  const env = { ...Object.fromEntries(inherited), PALIMPSEST_DATA: data };
  const child = spawn(process.execPath, [PALIMPSEST, ...args, '--json'], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number | null]>,
  ]);
  const answer = (stdout.trim() === '' ? undefined : JSON.parse(stdout)) as Answer;
  return { code: code ?? -1, answer, stderr, seconds: (performance.now() - started) / 1000 };
};
