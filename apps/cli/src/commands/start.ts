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
    .description('Run the platform in this terminal.')
    .option('--port <number>', 'port to listen on (PALIMPSEST_PORT)', wholeNumber(0, 65535))
    .option('--host <address>', 'address to listen on (PALIMPSEST_HOST)')
    .option('--data <folder>', 'data folder (PALIMPSEST_DATA)')
    .action(asAction((session: Session, options: StartOptions) => start(session, options, PLATFORM)));
};

/** The options as settings: the platform reads its settings from the environment only. */
export const settingsFrom = ({ port, host, data }: StartOptions): Record<string, string> => ({
  ...(port === undefined ? {} : { PALIMPSEST_PORT: String(port) }),
  ...(host === undefined ? {} : { PALIMPSEST_HOST: host }),
  ...(data === undefined ? {} : { PALIMPSEST_DATA: data }),
});

/** Returns the exit code of the platform. Signals are forwarded, so that the platform shuts down gracefully. */
export const start = (session: Session, options: StartOptions, platform: string): Promise<number> => {
  if (!existsSync(platform)) throw new UsageError('the platform is not built: run `npm run setup` in the clone first');
  const { config, signal } = session;
  return new Promise((resolve, reject) => {
    const env = { ...config.environment, ...settingsFrom(options) };
    const child = spawn(process.execPath, [platform], { cwd: session.cwd, env, stdio: 'inherit' });
    // On a terminal, Ctrl-C already reaches the child. A second signal could force an immediate exit.
    signal.addEventListener('abort', () => {
      if (!process.stdin.isTTY) child.kill('SIGTERM');
    });
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? 1));
  });
};
