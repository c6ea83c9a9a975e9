import type { SqliteCatalog } from '@palimpsest/adapters-sqlite';
import { pause } from '@palimpsest/contracts';
import type { Participation, Position, Shares } from '@palimpsest/knowledge';
import type { ReadModelRunner } from '@palimpsest/projections';
import type { OnFault } from '@palimpsest/runtime';
import type { Snapshots } from './snapshots.ts';

type SnapshotWriterPorts = Readonly<{ snapshots: Snapshots; runner: ReadModelRunner; catalog: SqliteCatalog; shares: Shares; onFault: OnFault }>;

/** Writes a snapshot every so often, on one of the replicas, when there is something new. */
export class SnapshotWriter {
  readonly #ports: SnapshotWriterPorts;
  readonly #everyMs: number;
  #participation: Participation | undefined;
  #last: Position | undefined;

  constructor(ports: SnapshotWriterPorts, everyMs: number) {
    this.#ports = ports;
    this.#everyMs = everyMs;
  }

  async start(): Promise<void> {
    this.#participation = await this.#ports.shares.takePart('snapshots', 1, (_, signal) => this.#keepWriting(signal));
  }

  async stop(): Promise<void> {
    await this.#participation?.leave();
  }

  async #keepWriting(signal: AbortSignal): Promise<void> {
    const { snapshots, runner, catalog, onFault } = this.#ports;
    for (;;) {
      await pause(this.#everyMs, signal);
      if (signal.aborted) return;
      if (!runner.serving() || (await catalog.position()) === this.#last) continue;
      await snapshots.write(runner, catalog).then((at) => (this.#last = at), (error: unknown) => onFault(error, 'writing a snapshot'));
    }
  }
}
