import { platformConfig } from './config.ts';
import { createLogger } from './logger.ts';

/** A setting, the folder that another process has open, the key of another folder. */
const TO_BE_SET_RIGHT = new Set(['InvalidValue', 'Unavailable', 'WrongMasterKey']);

/** One line for people, and a code for scripts: 2 for what they can set right, 1 for the rest. */
const refuse = (error: unknown): never => {
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

const main = async (): Promise<void> => {
  const config = platformConfig(process.env);
  const log = createLogger(config.logLevel ?? (process.stderr.isTTY ? 'warn' : 'info'));
  process.stdout.write(`Starting Palimpsest on ${config.data}\n`);
  // Loaded only now: a wrong setting is told at once.
  const { startPlatform } = await import('./start-platform.ts');
  const { url, samples, stop } = await startPlatform(config, log);
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
  process.stdout.write(`Palimpsest listens on ${url}\n`);
  const loaded = await samples.catch(() => 0);
  if (loaded > 0) process.stdout.write(`Its own documentation (${loaded} files) is being indexed as the knowledge base "palimpsest-docs".\n`);
  process.stdout.write(`Try:  npx palimpsest search "what must be backed up?"\n      npx palimpsest ingest <a folder of yours>\n`);
};

await main().catch(refuse);
