import { pause } from '@palimpsest/foundation';
import type { Child } from '../../../tools/distributed/child.mjs';
import type { Installation, Slot } from '../../../tools/distributed/installation.mjs';
import type { SeededRandom } from '@palimpsest/e2e-support/seeded-random';

export type Service = Slot['service'];
export const SERVICES = ['ingestion', 'reembedding', 'query'] as const satisfies readonly Service[];

const RETRY_MS = 500;
/** The maximum time between two kills of a service; a third of the processes is killed as soon as they listen. */
const MAX_BETWEEN_MS = 1_500;
const BOTH_REPLICAS = 0.25;
/** The fraction of processes that are killed before they listen, and the maximum time after their start. */
const DURING_START = 0.3;
const START_MS = 2_000;

/** Restarts processes that ended, as an orchestrator does, and kills processes at random. */
export class Supervisor {
  readonly kills: Record<Service, number> = { ingestion: 0, reembedding: 0, query: 0 };
  /** Processes that ended without a kill. */
  readonly deaths: string[] = [];
  /** Starts that were refused because a server was not available. */
  readonly refusedStarts: string[] = [];
  /** Processes that were killed before they listened. */
  killsDuringStart = 0;
  readonly #installation: Installation;
  readonly #killed = new Set<Child>();
  readonly #starting = new Map<Slot, Promise<void>>();
  #isStopped = false;

  constructor(installation: Installation) {
    this.#installation = installation;
    for (const slot of installation.slots) this.#watch(slot);
  }

  slotsOf(service: Service): readonly Slot[] {
    return this.#installation.slots.filter((slot) => slot.service === service);
  }

  /** Addresses of all replicas of a service; waits for replicas that are starting. */
  async addressesOf(service: Service): Promise<readonly string[]> {
    await this.#allStarted(this.slotsOf(service));
    return this.slotsOf(service).flatMap(({ child }) => (child ? [child.address] : []));
  }

  /** Sends SIGKILL and starts the process again; with `killAfterMs`, that start is killed, too. Resolves when the process listens again. */
  async killAndStart(slot: Slot, killAfterMs?: number): Promise<void> {
    await this.#kill(slot);
    await this.#start(slot, killAfterMs);
  }

  /** Kills all replicas of a service, calls `meanwhile` while none of them runs, and starts them again. */
  async killAllAndStart(service: Service, meanwhile: () => Promise<unknown>): Promise<void> {
    const slots = this.slotsOf(service);
    await Promise.all(slots.map((slot) => this.#kill(slot)));
    await meanwhile();
    await Promise.all(slots.map((slot) => this.#start(slot)));
  }

  /** Kills a service `times` times at random moments, sometimes all its replicas at the same time. */
  async killAtRandom(service: Service, times: number, random: SeededRandom): Promise<void> {
    const slots = this.slotsOf(service);
    for (let left = times; left > 0;) {
      await pause(Math.max(0, random.between(-MAX_BETWEEN_MS / 2, MAX_BETWEEN_MS)));
      const all = slots.length <= left && slots.length > 1 && random.next() < BOTH_REPLICAS;
      const chosen = all ? slots : [random.oneOf(slots)];
      left -= chosen.length;
      const killAfterMs = chosen.map(() => (random.next() < DURING_START ? random.between(0, START_MS) : undefined));
      await Promise.all(chosen.map((slot, i) => this.killAndStart(slot, killAfterMs[i])));
    }
  }

  /** Ends the supervision: no process is started again. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#allStarted(this.#installation.slots);
  }

  async #kill(slot: Slot): Promise<void> {
    await this.#starting.get(slot);
    const { child } = slot;
    if (!child) return;
    this.#killed.add(child);
    this.kills[slot.service]++;
    await child.kill();
  }

  async #allStarted(slots: readonly Slot[]): Promise<void> {
    await Promise.all(slots.map(async (slot) => this.#starting.get(slot)));
  }

  #start(slot: Slot, killAfterMs?: number): Promise<void> {
    const running = this.#starting.get(slot);
    if (running) return running;
    const starting = this.#startUntilItListens(slot, killAfterMs).finally(() => this.#starting.delete(slot));
    this.#starting.set(slot, starting);
    return starting;
  }

  async #startUntilItListens(slot: Slot, killAfterMs?: number): Promise<void> {
    if (killAfterMs !== undefined && (await this.#startAndKill(slot, killAfterMs))) this.killsDuringStart++;
    while (!this.#isStopped) {
      if (slot.child) return this.#watch(slot);
      try {
        await this.#installation.start(slot);
        return this.#watch(slot);
      } catch (error) {
        this.refusedStarts.push(`${slot.service}-${slot.replica}: ${String(error).slice(0, 2_000)}`);
        await pause(RETRY_MS);
      }
    }
  }

  /** @returns true if the process was killed before it listened; otherwise it runs, or its start was refused */
  async #startAndKill(slot: Slot, afterMs: number): Promise<boolean> {
    let killed = false;
    let timer: NodeJS.Timeout | undefined;
    const listening = this.#installation.start(slot, (kill) => (timer = setTimeout(() => ((killed = true), kill()), afterMs)));
    await listening.catch(() => undefined);
    clearTimeout(timer);
    if (killed) await slot.child?.ended;
    return killed;
  }

  #watch(slot: Slot): void {
    const { child } = slot;
    if (!child) return;
    void child.ended.then(({ code, signal, errors }) => {
      if (this.#isStopped || this.#killed.delete(child)) return;
      this.deaths.push(`${child.name} ended on its own (${code ?? signal}): ${errors.slice(-2_000)}`);
      void this.#start(slot);
    });
  }
}
