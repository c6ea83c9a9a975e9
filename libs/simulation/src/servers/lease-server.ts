import { pause, type Scheduler } from '@palimpsest/foundation';
import type { PartitionLeases } from '@palimpsest/knowledge/ports';
import type { Life, World } from '../kernel/world.ts';
import type { Network } from './network.ts';

const LEASE_MS = 6_000;
const HEARTBEAT_MS = 2_000;
const AGAIN_MS = 500;

type Hold = (share: number, signal: AbortSignal) => Promise<void>;
type Member = { readonly life: Life; seenAt: number; readonly take: (share: number) => void };
type Task = { readonly members: Member[]; readonly holders: Map<number, Member> };

/** Gives the shares of a task to processes that have been heard of recently. */
export class LeaseServer {
  readonly #world: World;
  readonly #tasks = new Map<string, Task>();

  constructor(world: World) {
    this.#world = world;
  }

  join(task: string, count: number, member: Member): void {
    const known = this.#tasks.get(task) ?? this.#create(task, count);
    known.members.push(member);
  }

  leave(task: string, member: Member): void {
    const known = this.#tasks.get(task);
    if (known) this.#drop(known, member);
  }

  /** The shares that the member still holds. */
  heartbeat(task: string, member: Member): readonly number[] {
    const known = this.#tasks.get(task);
    if (!known) return [];
    member.seenAt = this.#world.now;
    if (!known.members.includes(member)) known.members.push(member);
    return [...known.holders].flatMap(([share, holder]) => (holder === member ? [share] : []));
  }

  /** Whether a process holds the share now. */
  holds(task: string, life: Life): boolean {
    return [...(this.#tasks.get(task)?.holders.values() ?? [])].some((holder) => holder.life === life);
  }

  #create(task: string, count: number): Task {
    const created: Task = { members: [], holders: new Map() };
    this.#tasks.set(task, created);
    const assign = (): void => {
      for (const member of [...created.members]) if (this.#world.now - member.seenAt > LEASE_MS) this.#drop(created, member);
      for (let share = 0; share < count; share++) {
        const heldBy = (member: Member): number => [...created.holders.values()].filter((holder) => holder === member).length;
        const [next] = [...created.members].sort((a, b) => heldBy(a) - heldBy(b));
        if (created.holders.has(share) || next === undefined) continue;
        this.#world.note(`leases give share ${share} of ${task} to ${next.life.name}`);
        created.holders.set(share, next);
        next.take(share);
      }
      this.#world.plan(AGAIN_MS, '', assign);
    };
    this.#world.plan(0, '', assign);
    return created;
  }

  #drop(task: Task, member: Member): void {
    const at = task.members.indexOf(member);
    if (at >= 0) task.members.splice(at, 1);
    for (const [share, holder] of task.holders) if (holder === member) task.holders.delete(share);
  }
}

/** The leases as a process reaches them. It notices with its next heartbeat that it lost a share: until then two may hold it. */
export const remoteLeases = (
  server: LeaseServer,
  { world, network, life, scheduler }: Readonly<{ world: World; network: Network; life: Life; scheduler: Scheduler }>,
  onError: (error: unknown) => void,
): PartitionLeases => ({
  join: async (task: string, count: number, hold: Hold) => {
    const held = new Map<number, Readonly<{ stop: AbortController; ended: Promise<void> }>>();
    let left = false;
    const keepHolding = async (share: number, signal: AbortSignal): Promise<void> => {
      while (!signal.aborted) {
        await hold(share, signal).catch((error: unknown) => signal.aborted || onError(error));
        if (!signal.aborted) await pause(AGAIN_MS, signal, scheduler);
      }
      held.delete(share);
    };
    const take = (share: number): void => {
      world.plan(
        network.delay(),
        `takes share ${share} of ${task}`,
        () => {
          if (left || held.has(share)) return;
          const stop = new AbortController();
          held.set(share, { stop, ended: Promise.resolve().then(() => keepHolding(share, stop.signal)) });
        },
        life,
      );
    };
    const member: Member = { life, seenAt: world.now, take };
    const beat = (): void => {
      if (left) return;
      const mine = server.heartbeat(task, member);
      for (const [share, { stop }] of held) if (!mine.includes(share)) stop.abort();
      world.plan(HEARTBEAT_MS, '', beat, life);
    };
    await network.call(life, 'leases', `join ${task}`, async () => server.join(task, count, member));
    beat();
    return {
      shares: () => [...held.keys()].sort((a, b) => a - b),
      leave: async () => {
        left = true;
        for (const { stop } of held.values()) stop.abort();
        await Promise.all([...held.values()].map(({ ended }) => ended));
        server.leave(task, member);
      },
    };
  },
  close: () => Promise.resolve(),
});
