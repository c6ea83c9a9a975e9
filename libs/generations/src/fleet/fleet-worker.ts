import type { Journal } from '@palimpsest/contracts';
import { pause, type System } from '@palimpsest/foundation';
import type { LeaseMembership, PartitionLeases } from '@palimpsest/knowledge/ports';
import type { AdvanceFleet } from './advance-fleet.ts';
import type { FleetProgress } from './fleet-progress.ts';

const LOOK_EVERY_MS = 250;
/** How long it waits for what another process did before it. */
const CATCH_UP_MS = 5_000;
const RETRY_MS = 2_000;

export type FleetWorkerPorts = Readonly<{
  journal: Journal;
  leases: PartitionLeases;
  progress: FleetProgress;
  advance: Pick<AdvanceFleet, 'step'>;
  onFault: (error: unknown, about: string) => void;
  system: Pick<System, 'scheduler'>;
}>;

/** Advances all fleets. Of all processes, one does; if two do for a moment, the deciders make it one effect. */
export class FleetWorker {
  readonly #ports: FleetWorkerPorts;
  #membership: LeaseMembership | undefined;

  constructor(ports: FleetWorkerPorts) {
    this.#ports = ports;
  }

  async start(): Promise<void> {
    this.#membership = await this.#ports.leases.join('fleets', 1, (_, signal) => this.#hold(signal));
  }

  async stop(): Promise<void> {
    await this.#membership?.leave();
  }

  async #hold(signal: AbortSignal): Promise<void> {
    const { journal, progress, system } = this.#ports;
    await progress.reached(await journal.log.head(), CATCH_UP_MS);
    for (let seen = -1; !signal.aborted;) {
      const { version } = progress;
      const complete = version === seen || (await this.#all(signal));
      // A step that failed is repeated; one that changed something leads to the next one.
      seen = complete ? version : -1;
      await pause(complete ? LOOK_EVERY_MS : RETRY_MS, signal, system.scheduler);
    }
  }

  /** Whether all steps succeeded. */
  async #all(signal: AbortSignal): Promise<boolean> {
    const { progress, advance, onFault } = this.#ports;
    let complete = true;
    for (const { id } of progress.list()) {
      try {
        await advance.step(id, signal);
      } catch (error) {
        if (signal.aborted) return true;
        complete = false;
        onFault(error, `advancing fleet ${id}`);
      }
    }
    return complete;
  }
}
