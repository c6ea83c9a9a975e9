import type { Child } from './child.d.mts';

/**
 * `child` if it is our own process, which can be killed; `lines`: its output at its last start. `startAgain`: on the
 * same folder and at the same address, once that process has ended.
 */
export type Server = Readonly<{ child?: Child; address: string; lines: Readonly<Record<string, string>>; startAgain?: () => Promise<void> }>;

export type Servers = Readonly<{ kafka: Server; eventStore: Server; qdrant: Server; s3: Server; replication: number; stop: () => Promise<void> }>;

export declare const startServers: (
  folder: string,
  options?: Readonly<{ brokers?: number; env?: NodeJS.ProcessEnv; without?: readonly string[] }>,
) => Promise<Servers>;

export declare const serverSettings: (servers: Servers) => Record<string, string>;
