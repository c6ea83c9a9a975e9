import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { AddCommand } from '../action.ts';
import { UsageError } from '../failure.ts';
import { wholeNumber } from '../options.ts';
import type { Session } from '../session.ts';

type StartOptions = Readonly<{ port?: number; host?: string; data?: string }>;

const PLATFORM = fileURLToPath(new URL('../../../platform/dist/main.js', import.meta.url));

export const addStart: AddCommand = (program, asAction) => {
  program
    .command('start')
    .description('run the platform in this terminal')
    .option('--port <number>', 'where to listen (PALIMPSEST_PORT)', wholeNumber(0, 65535))
    .option('--host <address>', 'which address to listen on (PALIMPSEST_HOST)')
    .option('--data <folder>', 'where everything is kept (PALIMPSEST_DATA)')
    .action(asAction((session: Session, options: StartOptions) => start(session, options, PLATFORM)));
};

/** What the options mean to the platform, which reads its settings from the environment only. */
export const settingsFrom = ({ port, host, data }: StartOptions): Record<string, string> => ({
  ...(port === undefined ? {} : { PALIMPSEST_PORT: String(port) }),
  ...(host === undefined ? {} : { PALIMPSEST_HOST: host }),
  ...(data === undefined ? {} : { PALIMPSEST_DATA: data }),
});

/** Answers the platform's own exit code. A signal to us is handed on, so that it can shut down in its own time. */
export const start = (session: Session, options: StartOptions, platform: string): Promise<number> => {
  if (!existsSync(platform)) throw new UsageError('the platform is not built: run `npm run setup` in the clone first');
  const { config, signal } = session;
  return new Promise((resolve, reject) => {
    const env = { ...config.environment, ...settingsFrom(options) };
    const child = spawn(process.execPath, [platform], { cwd: session.cwd, env, stdio: 'inherit' });
    // On a terminal, Ctrl-C reaches the child by itself; telling it twice could be taken for impatience.
    signal.addEventListener('abort', () => {
      if (!process.stdin.isTTY) child.kill('SIGTERM');
    });
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? 1));
  });
};
