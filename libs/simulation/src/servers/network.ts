import { ServerAway, Unavailable } from '@palimpsest/knowledge/errors';
import type { SimulationOptions } from '../options.ts';
import type { Life, World } from '../kernel/world.ts';

/** What processes reach over the network. */
export type Server = 'log' | 'bus' | 'blobs' | 'checkpoints' | 'keys' | 'leases';

type CallOptions = Readonly<{ minMs?: number; maxMs?: number }>;

/** Calls from processes to servers and to their disks, with delays and faults. A process whose life is over gets no answer. */
export class Network {
  /** Faults happen only while it is set. */
  isFaulty = true;
  readonly #world: World;
  readonly #options: SimulationOptions;
  readonly #awayUntil = new Map<Server, number>();

  constructor(world: World, options: SimulationOptions) {
    this.#world = world;
    this.#options = options;
  }

  /** No process reaches the server for that time. */
  outage(server: Server, ms: number): void {
    this.#world.note(`${server} is away for ${Math.round(ms)} ms`);
    this.#awayUntil.set(server, this.#world.now + ms);
  }

  heal(): void {
    this.isFaulty = false;
    this.#awayUntil.clear();
  }

  /**
   * A call to a server. The request arrives even if the process ends meanwhile.
   * @throws ServerAway: the effect did not happen, or happened and the answer was lost
   */
  call<T>(life: Life, server: Server, label: string, effect: () => Promise<T>, { minMs = 0.2, maxMs = 4 }: CallOptions = {}): Promise<T> {
    const { prng } = this.#world;
    life.onCall?.(server, label);
    const { refused, lostAnswers } = this.#options;
    const [isRefused, isLost] = [this.#happens(refused), this.#happens(lostAnswers)];
    const answerMs = prng.between(0.1, 2);
    return new Promise((resolve, reject) => {
      const answer = (outcome: string, settle: () => void): void => {
        this.#world.plan(answerMs, `${server} answers ${label}: ${outcome}`, settle, life);
      };
      const fail = (why: string): void => answer(why, () => reject(new ServerAway(`${server}: ${why} (${label})`)));
      this.#world.plan(this.#delay(minMs, maxMs), `${life.name} -> ${server} ${label}`, () => {
        if (this.#isAway(server)) return fail('away');
        if (isRefused) return fail('refused');
        effect().then(
          (value) => (isLost ? fail('answer lost') : answer('ok', () => resolve(value))),
          (error: unknown) => answer(`error ${String(error)}`, () => reject(error as Error)),
        );
      });
    });
  }

  /** A write to the disk of the process: it does not happen if the process ends before. @throws Unavailable without an effect */
  write<T>(life: Life, label: string, effect: () => Promise<T>): Promise<T> {
    const fails = this.#happens(this.#options.diskFaults);
    return new Promise((resolve, reject) => {
      const run = (): void => {
        if (fails) reject(new Unavailable(`the disk refused ${label}`));
        else effect().then(resolve, reject);
      };
      this.#world.plan(this.#delay(0.05, 2), `${label}${fails ? ' fails' : ''}`, run, life);
    });
  }

  /** A message between servers and processes, which arrives once. */
  delay(): number {
    return this.#delay(0.2, 4);
  }

  #isAway(server: Server): boolean {
    return (this.#awayUntil.get(server) ?? 0) > this.#world.now;
  }

  #happens(probability: number): boolean {
    return this.#world.prng.chance(probability) && this.isFaulty;
  }

  #delay(minMs: number, maxMs: number): number {
    return this.#happens(this.#options.slow) ? this.#world.prng.between(50, 2_000) : this.#world.prng.between(minMs, maxMs);
  }
}
