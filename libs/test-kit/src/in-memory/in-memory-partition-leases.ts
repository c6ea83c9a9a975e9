import { Mutex, pause } from '@palimpsest/foundation';
import { InvalidValue } from '@palimpsest/knowledge/errors';
import type { LeaseMembership, PartitionLeases } from '@palimpsest/knowledge/ports';

/** Pause between two calls of `hold`, in milliseconds. */
const PAUSE_MS = 50;

type Hold = (share: number, signal: AbortSignal) => Promise<void>;

/** A member of a task: its assigned shares, and those it still holds. */
class Member implements LeaseMembership {
  readonly #task: Task;
  readonly #hold: Hold;
  readonly #holding = new Map<number, Readonly<{ abortion: AbortController; ended: Promise<void> }>>();

  constructor(task: Task, hold: Hold) {
    this.#task = task;
    this.#hold = hold;
  }

  shares(): readonly number[] {
    return [...this.#holding]
      .filter(([, { abortion }]) => !abortion.signal.aborted)
      .map(([share]) => share)
      .sort((a, b) => a - b);
  }

  leave(): Promise<void> {
    return this.#task.leave(this);
  }

  take(share: number): void {
    const abortion = new AbortController();
    this.#holding.set(share, { abortion, ended: this.#keepHolding(share, abortion.signal).then(() => void this.#holding.delete(share)) });
  }

  /** Resolves when the shares are released. */
  async drop(shares: readonly number[]): Promise<void> {
    const dropped = shares.flatMap((share) => this.#holding.get(share) ?? []);
    for (const { abortion } of dropped) abortion.abort(new Error('the share moves'));
    await Promise.all(dropped.map(({ ended }) => ended));
  }

  async #keepHolding(share: number, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      // Failures are the responsibility of the holder; the call is repeated.
      await this.#hold(share, signal).catch(() => undefined);
      await pause(PAUSE_MS, signal);
    }
  }
}

class Task {
  readonly count: number;
  readonly #members = new Set<Member>();
  readonly #mutex = new Mutex();

  constructor(count: number) {
    this.count = count;
  }

  join(hold: Hold): Member {
    const member = new Member(this, hold);
    this.#members.add(member);
    void this.#move();
    return member;
  }

  async leave(member: Member): Promise<void> {
    // Queued: a move in progress must not reassign shares that are still held.
    const left = this.#mutex.run(async () => {
      this.#members.delete(member);
      await member.drop(member.shares());
    });
    await Promise.all([left, this.#move()]);
  }

  forget(member: Member): void {
    this.#members.delete(member);
    void member.drop(member.shares());
    void this.#move();
  }

  /** Assigns share `i` to member `i mod n`; the previous holder releases it first. */
  #move(): Promise<void> {
    return this.#mutex.run(async () => {
      const members = [...this.#members];
      const plan = members.map((_, place) =>
        Array.from({ length: this.count }, (__, share) => share).filter((share) => share % members.length === place),
      );
      await Promise.all(members.map((member, i) => member.drop(member.shares().filter((share) => plan[i]?.includes(share) !== true))));
      for (const [i, member] of members.entries())
        for (const share of plan[i] ?? []) if (this.#members.has(member) && !member.shares().includes(share)) member.take(share);
    });
  }
}

/**
 * Partition leases in one process: a single instance holds all shares; `new InMemoryPartitionLeases(first)` joins the tasks of
 * `first`, as another process would.
 */
export class InMemoryPartitionLeases implements PartitionLeases {
  readonly #tasks: Map<string, Task>;
  readonly #memberships = new Map<Member, Task>();
  #closed = false;

  constructor(first?: InMemoryPartitionLeases) {
    this.#tasks = first === undefined ? new Map() : first.#tasks;
  }

  async join(task: string, count: number, hold: Hold): Promise<LeaseMembership> {
    if (this.#closed) throw new Error('the partition leases are closed');
    if (typeof task !== 'string' || task === '') throw new InvalidValue('task', 'a name', task);
    if (!Number.isInteger(count) || count < 1) throw new InvalidValue('count', 'a whole number of at least 1', count);
    const known = this.#tasks.get(task) ?? new Task(count);
    if (known.count !== count) throw new InvalidValue('count', `${known.count}, as for the other members`, count);
    this.#tasks.set(task, known);
    const member = known.join(hold);
    this.#memberships.set(member, known);
    return member;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#memberships.keys()].map((member) => member.leave()));
  }

  /** Simulates the end of the process: does not wait for held shares. */
  kill(): void {
    this.#closed = true;
    for (const [member, task] of this.#memberships) task.forget(member);
  }
}
