import type { Child } from '../../../tools/distributed/child.mjs';
import type { Installation, Slot } from '../../../tools/distributed/installation.mjs';
import { pause } from '../test/eventually.ts';
import type { SeededRandom } from './seeded-random.ts';

export type Service = Slot['service'];
export const SERVICES = ['ingestion', 'reembedding', 'query'] as const satisfies readonly Service[];

const AGAIN_MS = 500;
/** Between two kills of a service; a third of the processes does not live for longer than it took to listen. */
const MOST_BETWEEN_MS = 1_500;
const BOTH_AT_ONCE = 0.25;
/** How often a process that is being started is killed before it listens, and within which time of its start. */
const AMID_START = 0.3;
const START_MS = 2_000;

/** What an orchestrator does, a process that ended is started again, and what a bad day does. */
export class Supervisor {
  readonly kills: Record<Service, number> = { ingestion: 0, reembedding: 0, query: 0 };
  /** Processes that ended although nobody killed them. */
  readonly deaths: string[] = [];
  /** Starts that were refused, since a server was away. */
  readonly refusedStarts: string[] = [];
  /** Processes that were killed before they listened. */
  killsAmidStart = 0;
  readonly #installation: Installation;
  readonly #killed = new Set<Child>();
  readonly #starting = new Map<Slot, Promise<void>>();
  #over = false;

  constructor(installation: Installation) {
    this.#installation = installation;
    for (const slot of installation.slots) this.#watch(slot);
  }

  slotsOf(service: Service): readonly Slot[] {
    return this.#installation.slots.filter((slot) => slot.service === service);
  }

  /** Addresses of all replicas of a service; waits for those that are being started. */
  async addressesOf(service: Service): Promise<readonly string[]> {
    await this.#allStarted(this.slotsOf(service));
    return this.slotsOf(service).flatMap(({ child }) => (child ? [child.address] : []));
  }

  /** SIGKILL, and a start at once, which itself is killed after so many milliseconds if that is said. Resolves when it listens again. */
  async killAndStart(slot: Slot, amidStart?: number): Promise<void> {
    await this.#kill(slot);
    await this.#start(slot, amidStart);
  }

  /** All replicas of a service; something is done while none of them runs. */
  async killAllAndStart(service: Service, meanwhile: () => Promise<unknown>): Promise<void> {
    const slots = this.slotsOf(service);
    await Promise.all(slots.map((slot) => this.#kill(slot)));
    await meanwhile();
    await Promise.all(slots.map((slot) => this.#start(slot)));
  }

  /** So many kills of a service, at random moments, sometimes of all its replicas at once. */
  async killAtRandom(service: Service, times: number, random: SeededRandom): Promise<void> {
    const slots = this.slotsOf(service);
    for (let left = times; left > 0; ) {
      await pause(Math.max(0, random.between(-MOST_BETWEEN_MS / 2, MOST_BETWEEN_MS)));
      const all = slots.length <= left && slots.length > 1 && random.next() < BOTH_AT_ONCE;
      const chosen = all ? slots : [random.oneOf(slots)];
      left -= chosen.length;
      const amidStart = chosen.map(() => (random.next() < AMID_START ? random.between(0, START_MS) : undefined));
      await Promise.all(chosen.map((slot, i) => this.killAndStart(slot, amidStart[i])));
    }
  }

  /** Nothing is started again from now on. */
  async stop(): Promise<void> {
    this.#over = true;
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

  #start(slot: Slot, amidStart?: number): Promise<void> {
    const running = this.#starting.get(slot);
    if (running) return running;
    const starting = this.#startUntilItListens(slot, amidStart).finally(() => this.#starting.delete(slot));
    this.#starting.set(slot, starting);
    return starting;
  }

  async #startUntilItListens(slot: Slot, amidStart?: number): Promise<void> {
    if (amidStart !== undefined && (await this.#startAndKill(slot, amidStart))) this.killsAmidStart++;
    while (!this.#over) {
      if (slot.child) return this.#watch(slot);
      try {
        await this.#installation.start(slot);
        return this.#watch(slot);
      } catch (error) {
        this.refusedStarts.push(`${slot.service}-${slot.replica}: ${String(error).slice(0, 2_000)}`);
        await pause(AGAIN_MS);
      }
    }
  }

  /** @returns whether it was killed before it listened; otherwise it runs, or its start was refused */
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
      if (this.#over || this.#killed.delete(child)) return;
      this.deaths.push(`${child.name} ended by itself (${code ?? signal}): ${errors.slice(-2_000)}`);
      void this.#start(slot);
    });
  }
}
