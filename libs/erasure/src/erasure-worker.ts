import { pause, type System } from '@palimpsest/foundation';
import type { Journal } from '@palimpsest/contracts';
import type { LeaseMembership, PartitionLeases } from '@palimpsest/knowledge/ports';

import type { Erasures } from './erasures.ts';
import type { Erased } from './log-records.ts';

const LOOK_EVERY_MS = 250;
/** How long it waits for what another process did before it. */
const CATCH_UP_MS = 5_000;
const RETRY_MS = 5_000;

type Ports = Readonly<{
  journal: Journal;
  leases: PartitionLeases;
  erasures: Erasures;
  /** `run` returns false if it is too early for the remaining steps. */
  steps: Readonly<{ adopt: () => Promise<void>; run: (of: Erased, signal: AbortSignal) => Promise<boolean> }>;
  onFault: (error: unknown, about: string) => void;
  system: Pick<System, 'scheduler'>;
}>;

/** Completes all erasures. Of all processes, one does; if two do for a moment, the decider makes it one effect. */
export class ErasureWorker {
  readonly #ports: Ports;
  #membership: LeaseMembership | undefined;

  constructor(ports: Ports) {
    this.#ports = ports;
  }

  async start(): Promise<void> {
    this.#membership = await this.#ports.leases.join('erasures', 1, (_, signal) => this.#hold(signal));
  }

  async stop(): Promise<void> {
    await this.#membership?.leave();
  }

  async #hold(signal: AbortSignal): Promise<void> {
    const { journal, erasures, system } = this.#ports;
    await erasures.reached(await journal.log.head(), CATCH_UP_MS);
    for (let [adopted, seen] = [false, -1]; !signal.aborted;) {
      const { version } = erasures;
      adopted ||= await this.#adopted();
      const complete = adopted && (version === seen || (await this.#all(signal)));
      seen = complete ? version : -1;
      await pause(complete ? LOOK_EVERY_MS : RETRY_MS, signal, system.scheduler);
    }
  }

  async #adopted(): Promise<boolean> {
    const { steps, onFault } = this.#ports;
    try {
      await steps.adopt();
      return true;
    } catch (error) {
      onFault(error, 'looking for keys that were destroyed');
      return false;
    }
  }

  /** Whether all of them are complete. */
  async #all(signal: AbortSignal): Promise<boolean> {
    let complete = true;
    for (const of of this.#ports.erasures.open()) {
      try {
        complete = (await this.#ports.steps.run(of, signal)) && complete;
      } catch (error) {
        if (signal.aborted) return true;
        complete = false;
        this.#ports.onFault(error, 'completing an erasure');
      }
    }
    return complete;
  }
}
