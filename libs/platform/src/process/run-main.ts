import type { Logger } from 'pino';
import { createLogger } from './logger.ts';

/** Codes of errors that the user can fix: a wrong setting, a folder that another process has open, the key of another folder, credentials that a store refuses. */
const USER_ERRORS = new Set(['InvalidValue', 'Unavailable', 'StoreRefused', 'WrongMasterKey', 'MasterKeyMissing']);

export type Running = Readonly<{ url: string; stop: () => Promise<void> }>;

export type MainProgram<Config, Started extends Running> = Readonly<{
  /** Name of the program in messages and logs. */
  name: string;
  config: () => Config;
  /** Imports its dependencies only when called, so that a wrong setting is reported immediately. */
  start: (config: Config, log: Logger) => Promise<Started>;
  starting: (config: Config) => string;
  afterwards?: (started: Started) => Promise<void>;
}>;

/** Runs a process: reads settings, starts, stops on signals. Failures are reported as one line on standard error and an exit code. */
export const runMain = async <Config extends Readonly<{ logLevel: string | undefined }>, Started extends Running>(
  program: MainProgram<Config, Started>,
): Promise<void> => {
  // A closed pipe or terminal ends neither the process nor its graceful shutdown.
  for (const output of [process.stdout, process.stderr]) output.on('error', () => undefined);
  try {
    const config = program.config();
    const log = createLogger(config.logLevel ?? (process.stderr.isTTY ? 'warn' : 'info'), program.name);
    process.stdout.write(`${program.starting(config)}\n`);
    const started = await program.start(config, log);
    stopOnSignals(started.stop, log);
    process.stdout.write(`Palimpsest listens on ${started.url}\n`);
    await program.afterwards?.(started);
  } catch (error) {
    exitWithError(error);
  }
};

const stopOnSignals = (stop: () => Promise<void>, log: Logger): void => {
  let stopping: Promise<void> | undefined;
  const shutDown = (signal: string): void => {
    if (stopping) return;
    process.stdout.write(`${signal}: finishing requests in progress\n`);
    stopping = stop().then(
      () => process.exit(0),
      (error: unknown) => (log.error({ err: error }, 'shutdown failed'), process.exit(1)),
    );
  };
  process.on('SIGTERM', () => shutDown('SIGTERM'));
  process.on('SIGINT', () => shutDown('SIGINT'));
};

/** Exit code 2 for errors that the user can fix, 1 for all others. */
const exitWithError = (error: unknown): void => {
  const { code, message } = error as { code?: string; message?: string };
  if (code === 'EADDRINUSE') return exitWith(2, 'the port is in use: stop the other program, or set PALIMPSEST_PORT to another one');
  if (code === 'EACCES') return exitWith(2, `no permission: ${message ?? ''}`);
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') return exitWith(2, 'PALIMPSEST_HOST is not an address of this machine');
  return exitWith(USER_ERRORS.has(code ?? '') ? 2 : 1, (message ?? String(error)).split('\n')[0] ?? '');
};

const exitWith = (code: number, line: string): never => {
  process.stderr.write(`palimpsest: ${line}\n`);
  process.exit(code);
};
