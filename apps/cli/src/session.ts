import { PalimpsestClient } from '@palimpsest/client';
import type { RetryNotice } from '@palimpsest/client';
import type { CliConfig } from './config.ts';
import { chooseServer, findLocalServer } from './local-server.ts';
import { Output } from './render/output.ts';
import type { Sink } from './render/sink.ts';

/** The environment of a run. Specs pass their own. */
export type Surroundings = Readonly<{ stdout: Sink; stderr: Sink; cwd: string; config: CliConfig; signal: AbortSignal }>;

/** The options of every command. */
export type CommonOptions = Readonly<{ url?: string; apiKey?: string; json?: boolean }>;

export type ConnectOptions = Readonly<{ retries?: number; onRetry?: (notice: RetryNotice) => void }>;

/** Everything that a command uses. */
export type Session = Readonly<{
  output: Output;
  cwd: string;
  config: CliConfig;
  signal: AbortSignal;
  /** A client for the server that was named, or for the one on this machine. */
  connect: (options?: ConnectOptions) => PalimpsestClient;
}>;

export const openSession = (surroundings: Surroundings, common: CommonOptions): Session => {
  const { stdout, stderr, cwd, config, signal } = surroundings;
  const requested = { url: common.url ?? config.url, apiKey: common.apiKey ?? config.apiKey };
  return {
    output: new Output({ stdout, stderr, json: common.json === true, color: config.color }),
    cwd,
    config,
    signal,
    connect: (options = {}) => new PalimpsestClient({ ...chooseServer(requested, findLocalServer(cwd, config.data)), ...options }),
  };
};
