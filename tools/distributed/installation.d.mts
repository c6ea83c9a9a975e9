import type { Child, Ended } from './child.d.mts';
import type { Servers } from './servers.d.mts';

/** A slot for one replica; `child` while it runs. */
export type Slot = { readonly service: 'ingestion' | 'reembedding' | 'query'; readonly replica: number; child: Child | undefined; ready: boolean };

export type Installation = Readonly<{
  url: string;
  /** Has the roles admin and operator. */
  key: string;
  namespace: string;
  slots: readonly Slot[];
  /** Starts a stopped replica; resolves when it listens. `onSpawn` immediately gets a function that kills it (SIGKILL). */
  start: (slot: Slot, onSpawn?: (kill: () => void) => void) => Promise<Child>;
  /** Removes a replica from the gateway, then stops it. */
  retire: (slot: Slot) => Promise<Ended | undefined>;
  replicasOf: (service: Slot['service']) => readonly string[];
  stop: () => Promise<readonly Ended[]>;
  kill: () => Promise<readonly Ended[]>;
}>;

export declare const ONE_EACH: Readonly<Record<Slot['service'], number>>;

export declare const startInstallation: (
  options: Readonly<{
    servers: Servers;
    folder: string;
    settings?: Readonly<Record<string, string>>;
    replicas?: Readonly<Record<Slot['service'], number>>;
    port?: number;
    onLine?: (name: string, text: string) => void;
  }>,
) => Promise<Installation>;
