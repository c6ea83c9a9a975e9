import { readConfig } from './config.ts';
import { Interrupted } from './failure.ts';
import { runCli } from './run-cli.ts';

const abort = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => abort.abort(new Interrupted(signal)));

// The reader of our output may have closed the pipe (`palimpsest search … | head -1`).
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

process.exitCode = await runCli(process.argv.slice(2), {
  stdout: process.stdout,
  stderr: process.stderr,
  cwd: process.cwd(),
  config: readConfig(),
  signal: abort.signal,
});
