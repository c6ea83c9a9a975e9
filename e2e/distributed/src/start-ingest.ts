import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

const PALIMPSEST = fileURLToPath(new URL('../../../apps/cli/bin/palimpsest.mjs', import.meta.url));

export type Ingest = Readonly<{
  /** The number of documents sent so far, from the progress output, which is printed in tenths. */
  sent: () => number;
  ended: () => boolean;
  end: Promise<Readonly<{ code: number | null; answer: unknown; stderr: string }>>;
}>;

/** Starts `palimpsest ingest <files>` as a user does. */
export const startIngest = (server: Readonly<{ url: string; key: string }>, files: string, cwd: string): Ingest => {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('PALIMPSEST_') && name !== 'NODE_OPTIONS');
  const env = { ...Object.fromEntries(inherited), PALIMPSEST_URL: server.url, PALIMPSEST_API_KEY: server.key };
  const child = spawn(process.execPath, [PALIMPSEST, 'ingest', files, '--concurrency', '2', '--json'], {
    env,
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stderr = '';
  let ended = false;
  child.stderr.setEncoding('utf8').on('data', (part: string) => (stderr += part));
  const end = Promise.all([text(child.stdout), once(child, 'close') as Promise<[number | null]>]).then(([out, [code]]) => {
    ended = true;
    return { code, answer: out.trim() === '' ? undefined : (JSON.parse(out) as unknown), stderr };
  });
  const sent = (): number => Math.max(0, ...[...stderr.matchAll(/sent (\d+) of/g)].map(([, count]) => Number(count)));
  return { sent, ended: () => ended, end };
};
