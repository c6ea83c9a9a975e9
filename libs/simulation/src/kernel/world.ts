import type { Cancel } from '@palimpsest/foundation';
import { EventQueue } from './event-queue.ts';
import { Prng } from './prng.ts';
import { Trace } from './trace.ts';

/** A life of a process: from a start to a crash. What it planned does not happen after its end, and late while it hangs. */
export type Life = {
  readonly name: string;
  isOver: boolean;
  hangsUntil: number;
  /** Called before each call to a server, for faults in the middle of work. */
  onCall?: ((server: string, label: string) => void) | undefined;
};

type Planned = { readonly label: string; readonly run: () => void; readonly life: Life | undefined; cancelled: boolean };

/** The turn of Node's event loop, before a guard replaces the global one. */
const nativeTurn = setImmediate;
const EPOCH_MS = Date.UTC(2026, 0, 1);

/** Time, order and chance of a simulation. One step runs one planned event and everything that follows from it without waiting. */
export class World {
  readonly prng: Prng;
  readonly trace = new Trace();
  readonly #queue = new EventQueue<Planned>();
  #now = 0;
  steps = 0;

  constructor(seed: number) {
    this.prng = new Prng(seed);
  }

  /** Milliseconds since the start. */
  get now(): number {
    return this.#now;
  }

  /** Milliseconds since 1970. */
  get date(): number {
    return EPOCH_MS + Math.floor(this.#now);
  }

  /** Plans an event. With `life`: an event inside of that process. An empty label is not traced. */
  plan(ms: number, label: string, run: () => void, life?: Life): Cancel {
    const planned: Planned = { label, run, life, cancelled: false };
    this.#queue.add(this.#now + Math.max(0, ms), planned);
    return () => void (planned.cancelled = true);
  }

  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => this.plan(ms, '', resolve));
  }

  note(line: string): void {
    this.trace.add(`${this.#now.toFixed(3)} ${line}`);
  }

  /** Runs until `isDone` holds, or `untilMs` is reached. Returns whether it held. */
  async run(isDone: () => boolean, untilMs: number): Promise<boolean> {
    while (!isDone()) {
      const next = this.#queue.take();
      if (next === undefined || next.at > untilMs) return false;
      await this.#step(next.at, next.item);
    }
    return true;
  }

  async #step(at: number, planned: Planned): Promise<void> {
    const { life, label, run } = planned;
    if (planned.cancelled || life?.isOver === true) return;
    if (life !== undefined && life.hangsUntil > at) return this.#queue.add(life.hangsUntil, planned);
    this.#now = at;
    this.steps++;
    if (label !== '') this.note(life === undefined ? label : `${life.name} ${label}`);
    run();
    // Everything that the event caused runs before the next event: microtasks are done when the event loop turns.
    await new Promise<void>((resolve) => nativeTurn(resolve));
  }
}
