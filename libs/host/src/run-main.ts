import type { Logger } from 'pino';
import { createLogger } from './logger.ts';

/** What a person at the terminal can set right: a setting, a folder that another process has open, the key of another folder. */
const TO_BE_SET_RIGHT = new Set(['InvalidValue', 'Unavailable', 'WrongMasterKey', 'MasterKeyMissing']);

export type Running = Readonly<{ url: string; stop: () => Promise<void> }>;

export type MainProgram<Config, Started extends Running> = Readonly<{
  /** As it is called in messages and logs. */
  name: string;
  config: () => Config;
  /** Loads what it needs only now: a wrong setting is told at once. */
  start: (config: Config, log: Logger) => Promise<Started>;
  starting: (config: Config) => string;
  afterwards?: (started: Started) => Promise<void>;
}>;

/** The life of a process: settings, start, signals, exit codes. Failures are one line for people and a code for scripts. */
export const runMain = async <Config extends Readonly<{ logLevel: string | undefined }>, Started extends Running>(program: MainProgram<Config, Started>): Promise<void> => {
  try {
    const config = program.config();
    const log = createLogger(config.logLevel ?? (process.stderr.isTTY ? 'warn' : 'info'), program.name);
    process.stdout.write(`${program.starting(config)}\n`);
    const started = await program.start(config, log);
    stopOnSignals(started.stop, log);
    process.stdout.write(`Palimpsest listens on ${started.url}\n`);
    await program.afterwards?.(started);
  } catch (error) {
    refuse(error);
  }
};

const stopOnSignals = (stop: () => Promise<void>, log: Logger): void => {
  let stopping: Promise<void> | undefined;
  const shutDown = (signal: string): void => {
    if (stopping) return;
    process.stdout.write(`${signal}: finishing what is under way\n`);
    stopping = stop().then(
      () => process.exit(0),
      (error: unknown) => (log.error({ err: error }, 'shutdown failed'), process.exit(1)),
    );
  };
  process.on('SIGTERM', () => shutDown('SIGTERM'));
  process.on('SIGINT', () => shutDown('SIGINT'));
};

/** One line for people, and a code for scripts: 2 for what they can set right, 1 for the rest. */
const refuse = (error: unknown): void => {
  const { code, message } = error as { code?: string; message?: string };
  if (code === 'EADDRINUSE') return end(2, 'the port is in use: stop the other program, or set PALIMPSEST_PORT to another one');
  if (code === 'EACCES') return end(2, `no permission: ${message ?? ''}`);
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') return end(2, 'PALIMPSEST_HOST is no address of this machine');
  return end(TO_BE_SET_RIGHT.has(code ?? '') ? 2 : 1, (message ?? String(error)).split('\n')[0] ?? '');
};

const end = (code: number, line: string): never => {
  process.stderr.write(`palimpsest: ${line}\n`);
  process.exit(code);
};
