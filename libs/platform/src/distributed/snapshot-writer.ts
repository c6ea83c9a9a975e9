import type { SqliteCatalog } from '@palimpsest/adapters-sqlite';
import { pause } from '@palimpsest/foundation';
import type { LeaseMembership, PartitionLeases } from '@palimpsest/knowledge/ports';
import type { Position } from '@palimpsest/knowledge/values';
import type { ReadModelRunner } from '@palimpsest/projections';
import type { OnFault } from '@palimpsest/runtime';
import type { Snapshots } from './snapshots.ts';

type SnapshotWriterPorts = Readonly<{
  snapshots: Snapshots;
  runner: ReadModelRunner;
  catalog: SqliteCatalog;
  lexicalFolder: () => string;
  shares: PartitionLeases;
  onFault: OnFault;
}>;

/** Writes a snapshot at regular intervals on one of the replicas, if there is new data. */
export class SnapshotWriter {
  readonly #ports: SnapshotWriterPorts;
  readonly #everyMs: number;
  #membership: LeaseMembership | undefined;
  #last: Position | undefined;

  constructor(ports: SnapshotWriterPorts, everyMs: number) {
    this.#ports = ports;
    this.#everyMs = everyMs;
  }

  async start(): Promise<void> {
    this.#membership = await this.#ports.shares.join('snapshots', 1, (_, signal) => this.#keepWriting(signal));
  }

  async stop(): Promise<void> {
    await this.#membership?.leave();
  }

  async #keepWriting(signal: AbortSignal): Promise<void> {
    const { snapshots, runner, catalog, lexicalFolder, onFault } = this.#ports;
    for (;;) {
      await pause(this.#everyMs, signal);
      if (signal.aborted) return;
      if (!runner.serving() || (await catalog.position()) === this.#last) continue;
      await snapshots.write(runner, catalog, lexicalFolder).then(
        (at) => (this.#last = at),
        (error: unknown) => onFault(error, 'writing a snapshot'),
      );
    }
  }
}
