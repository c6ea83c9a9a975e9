import type { Child, Ended } from './child.d.mts';
import type { Servers } from './servers.d.mts';

/** A place for one replica; `child` while it runs. */
export type Slot = { readonly service: 'ingestion' | 'reembedding' | 'query'; readonly replica: number; child: Child | undefined; ready: boolean };

export type Installation = Readonly<{
  url: string;
  /** Admin and operator. */
  key: string;
  namespace: string;
  slots: readonly Slot[];
  /** Starts a replica whose process has ended; resolves when it listens. `onSpawn` is told at once how to kill it (SIGKILL). */
  start: (slot: Slot, onSpawn?: (kill: () => void) => void) => Promise<Child>;
  /** Takes a replica from its callers, then stops it. */
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
