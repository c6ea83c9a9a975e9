import { InvalidValue, type Participation, type Shares } from '@palimpsest/knowledge';

/** Between two calls of `hold`, in milliseconds. */
const PAUSE_MS = 50;

type Hold = (share: number, signal: AbortSignal) => Promise<void>;

/** Somebody who takes part: the shares given to it, and those it still holds. */
class Member implements Participation {
  readonly #task: Task;
  readonly #hold: Hold;
  readonly #holding = new Map<number, Readonly<{ abortion: AbortController; ended: Promise<void> }>>();

  constructor(task: Task, hold: Hold) {
    this.#task = task;
    this.#hold = hold;
  }

  shares(): readonly number[] {
    return [...this.#holding].filter(([, { abortion }]) => !abortion.signal.aborted).map(([share]) => share).sort((a, b) => a - b);
  }

  leave(): Promise<void> {
    return this.#task.leave(this);
  }

  take(share: number): void {
    const abortion = new AbortController();
    this.#holding.set(share, { abortion, ended: this.#keepHolding(share, abortion.signal).then(() => void this.#holding.delete(share)) });
  }

  /** Resolves when it has let go. */
  async drop(shares: readonly number[]): Promise<void> {
    const dropped = shares.flatMap((share) => this.#holding.get(share) ?? []);
    for (const { abortion } of dropped) abortion.abort(new Error('the share moves'));
    await Promise.all(dropped.map(({ ended }) => ended));
  }

  async #keepHolding(share: number, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      // what goes wrong under a share is the business of who holds it; it is tried again
      await this.#hold(share, signal).catch(() => undefined);
      if (!signal.aborted) await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }
}

class Task {
  readonly count: number;
  readonly #members = new Set<Member>();
  #moving: Promise<void> = Promise.resolve();

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
    // in its turn: a move under way must not give away what is still held
    this.#moving = this.#moving.then(async () => {
      this.#members.delete(member);
      await member.drop(member.shares());
    });
    await this.#move();
  }

  forget(member: Member): void {
    this.#members.delete(member);
    void member.drop(member.shares());
    void this.#move();
  }

  /** Gives share `i` to member `i mod n`; whoever had it lets go first. */
  #move(): Promise<void> {
    this.#moving = this.#moving.then(async () => {
      const members = [...this.#members];
      const plan = members.map((_, place) => Array.from({ length: this.count }, (__, share) => share).filter((share) => share % members.length === place));
      await Promise.all(members.map((member, i) => member.drop(member.shares().filter((share) => plan[i]?.includes(share) !== true))));
      for (const [i, member] of members.entries()) for (const share of plan[i] ?? []) if (this.#members.has(member) && !member.shares().includes(share)) member.take(share);
    });
    return this.#moving;
  }
}

/**
 * Shares of work in one process: alone it holds them all; `new InMemoryShares(first)` takes part beside `first`, as another
 * process would.
 */
export class InMemoryShares implements Shares {
  readonly #tasks: Map<string, Task>;
  readonly #parts = new Map<Member, Task>();
  #closed = false;

  constructor(beside?: InMemoryShares) {
    this.#tasks = beside === undefined ? new Map() : beside.#tasks;
  }

  async takePart(task: string, count: number, hold: Hold): Promise<Participation> {
    if (this.#closed) throw new Error('the shares are closed');
    if (typeof task !== 'string' || task === '') throw new InvalidValue('task', 'a name', task);
    if (!Number.isInteger(count) || count < 1) throw new InvalidValue('count', 'a whole number, at least 1', count);
    const known = this.#tasks.get(task) ?? new Task(count);
    if (known.count !== count) throw new InvalidValue('count', `${known.count}, as others say who take part`, count);
    this.#tasks.set(task, known);
    const member = known.join(hold);
    this.#parts.set(member, known);
    return member;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#parts.keys()].map((member) => member.leave()));
  }

  /** As the end of its process would: what it held is not waited for. */
  kill(): void {
    this.#closed = true;
    for (const [member, task] of this.#parts) task.forget(member);
  }
}
