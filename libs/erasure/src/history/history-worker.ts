import { positionAt, type Journal } from '@palimpsest/contracts';
import { pause, type System } from '@palimpsest/foundation';
import { Conflict } from '@palimpsest/knowledge/errors';
import { ScopeKeyDestroyed, type LeaseMembership, type PartitionLeases } from '@palimpsest/knowledge/ports';
import type { HistoryRemovals, Retention } from './history-removals.ts';
import type { RemoveHistory } from './remove-history.ts';

const LOOK_EVERY_MS = 500;
const RETRY_MS = 5_000;
const CATCH_UP_MS = 5_000;
/** How often it looks for history that has become old. */
const RETENTION_EVERY_MS = 3_600_000;
const DAY_MS = 86_400_000;

type Ports = Readonly<{
  journal: Journal;
  leases: PartitionLeases;
  removals: HistoryRemovals;
  steps: Pick<RemoveHistory, 'run' | 'start' | 'isSome'>;
  onFault: (error: unknown, about: string) => void;
  system: System;
}>;

/** Removes history that was requested, and that of knowledge bases which keep it for some days. Of all processes, one does. */
export class HistoryWorker {
  readonly #ports: Ports;
  #membership: LeaseMembership | undefined;

  constructor(ports: Ports) {
    this.#ports = ports;
  }

  async start(): Promise<void> {
    this.#membership = await this.#ports.leases.join('history', 1, (_, signal) => this.#hold(signal));
  }

  async stop(): Promise<void> {
    await this.#membership?.leave();
  }

  async #hold(signal: AbortSignal): Promise<void> {
    const { journal, removals, system } = this.#ports;
    await removals.reached(await journal.log.head(), CATCH_UP_MS);
    for (let next = 0; !signal.aborted;) {
      if (system.clock.elapsed() >= next) {
        await this.applyRetentions(signal);
        next = system.clock.elapsed() + RETENTION_EVERY_MS;
      }
      await pause((await this.#all(signal)) ? LOOK_EVERY_MS : RETRY_MS, signal, system.scheduler);
    }
  }

  /** Starts a removal for each knowledge base with history that is too old. */
  async applyRetentions(signal: AbortSignal): Promise<void> {
    for (const retention of this.#ports.removals.retentions()) {
      try {
        await this.#apply(retention, signal);
      } catch (error) {
        if (signal.aborted) return;
        // Another removal of the scope is running; or the scope was erased, and has no history that can be read.
        if (error instanceof Conflict || error instanceof ScopeKeyDestroyed) continue;
        this.#ports.onFault(error, 'looking for history that is too old');
      }
    }
  }

  async #apply({ days, ...of }: Retention, signal: AbortSignal): Promise<void> {
    const { journal, steps, removals, system } = this.#ports;
    const upTo = await positionAt(journal.log, new Date(system.clock.now() - days * DAY_MS).toISOString());
    if (!(await steps.isSome(of, upTo, signal))) return;
    const { position } = await steps.start(of, { upTo, keepDays: days });
    await steps.run(of, signal);
    await removals.reached(position, CATCH_UP_MS);
  }

  /** Whether none of them failed or has to wait. */
  async #all(signal: AbortSignal): Promise<boolean> {
    let complete = true;
    for (const of of this.#ports.removals.running()) {
      try {
        complete = (await this.#ports.steps.run(of, signal)) && complete;
      } catch (error) {
        if (signal.aborted) return true;
        complete = false;
        this.#ports.onFault(error, 'removing history');
      }
    }
    return complete;
  }
}
