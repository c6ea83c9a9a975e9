import { afterFailure, consumeSettings, type ConsumeSettings } from '@palimpsest/contracts';
import type { ConsumeOptions, Consumer, DeadLetter, Delivery, Handler, Message, MessageBus } from '@palimpsest/knowledge/ports';
import type { SimulationOptions } from '../options.ts';
import type { Life, World } from '../kernel/world.ts';
import type { Network } from './network.ts';

/** Longest lease, so that work of a dead process is delivered again soon. */
const MAX_LEASE_MS = 10_000;
const PER_LEASE = 3;

type Stored = Readonly<{ message: Message; publishedAt: string }>;
/** A message of a group. `heldBy`: the consumer that handles it, until its lease ends. */
type Pending = Stored & { attempt: number; notBefore: number; leaseUntil: number; heldBy: Member | undefined; settled: boolean };
type Group = { readonly pending: Pending[]; readonly members: Member[] };
type Member = {
  readonly life: Life;
  readonly settings: ConsumeSettings;
  readonly handler: Handler;
  readonly stop: AbortController;
  running: number;
};

/**
 * A message broker: delivers at least once and in the order of a key, keeps what was published, and delivers the work of a dead process
 * again when its lease has ended.
 */
export class BusServer {
  readonly deadLetters: DeadLetter[] = [];
  /** Ids of everything that was ever published, by topic. */
  readonly published = new Map<string, Set<string>>();
  readonly #topics = new Map<string, Stored[]>();
  readonly #groups = new Map<string, Group>();
  readonly #world: World;
  readonly #network: Network;
  readonly #options: SimulationOptions;

  constructor(world: World, network: Network, options: SimulationOptions) {
    [this.#world, this.#network, this.#options] = [world, network, options];
  }

  publish(topic: string, messages: readonly Message[]): void {
    const known = this.published.get(topic) ?? new Set<string>();
    this.published.set(topic, known);
    const stored = this.#topics.get(topic) ?? [];
    this.#topics.set(topic, stored);
    const publishedAt = new Date(this.#world.date).toISOString();
    for (const message of messages) {
      if (known.has(message.id)) continue;
      known.add(message.id);
      const one = { message: { ...message }, publishedAt };
      stored.push(one);
      for (const [name, { pending }] of this.#groups) if (name.startsWith(`${topic} `)) pending.push(pendingOf(one));
    }
    this.#deliver(topic);
  }

  subscribe(topic: string, group: string): Group {
    const name = `${topic} ${group}`;
    const found = this.#groups.get(name) ?? { pending: (this.#topics.get(topic) ?? []).map(pendingOf), members: [] };
    this.#groups.set(name, found);
    return found;
  }

  lag(topic: string, group: string): number {
    return this.subscribe(topic, group).pending.length;
  }

  join(topic: string, group: string, member: Member): void {
    this.subscribe(topic, group).members.push(member);
    this.#deliver(topic);
  }

  leave(topic: string, group: string, member: Member): void {
    const { members, pending } = this.subscribe(topic, group);
    const at = members.indexOf(member);
    if (at >= 0) members.splice(at, 1);
    for (const one of pending) if (one.heldBy === member) one.heldBy = undefined;
    this.#deliver(topic);
  }

  #deliver(topic: string): void {
    for (const [name, group] of this.#groups) {
      if (!name.startsWith(`${topic} `)) continue;
      for (const member of group.members)
        while (member.running < member.settings.concurrency) {
          const batch = this.#eligible(group, member.settings.batchSize);
          if (batch.length === 0) break;
          this.#hand(topic, group, member, batch);
        }
    }
  }

  /** The first unsettled message of each key, unless one is being handled. */
  #eligible({ pending }: Group, max: number): readonly Pending[] {
    const keys = new Set<string>();
    const found: Pending[] = [];
    for (const one of pending) {
      if (keys.has(one.message.key)) continue;
      keys.add(one.message.key);
      if (one.heldBy === undefined && one.notBefore <= this.#world.now && found.length < max) found.push(one);
    }
    return found;
  }

  #hand(topic: string, group: Group, member: Member, batch: readonly Pending[]): void {
    const leaseMs = Math.min(MAX_LEASE_MS, member.settings.leaseMs);
    const lease = new AbortController();
    const release = (): void => lease.abort(new Error('stopped'));
    member.stop.signal.addEventListener('abort', release);
    member.running++;
    for (const one of batch) {
      one.heldBy = member;
      one.attempt++;
      one.leaseUntil = this.#world.now + leaseMs;
    }
    const ids = batch.map(({ message }) => message.id).join(',');
    let isDone = false;
    const isHeld = (): boolean => batch.some((one) => one.heldBy === member && !one.settled);
    /** Renews the lease while the process runs; notices that it was lost. */
    const renew = (): void => {
      if (isDone) return;
      if (isHeld()) for (const one of batch) one.leaseUntil = this.#world.now + leaseMs;
      else lease.abort(new Error('the lease was lost'));
      this.#world.plan(leaseMs / PER_LEASE, '', renew, member.life);
    };
    /** At the server: takes the messages back when the lease has ended. */
    const watch = (): void => {
      if (!isHeld()) return;
      const until = Math.max(...batch.map(({ leaseUntil }) => leaseUntil));
      if (until > this.#world.now) return void this.#world.plan(until - this.#world.now, '', watch);
      this.#world.note(`bus takes back ${ids}`);
      for (const one of batch) if (one.heldBy === member) one.heldBy = undefined;
      if (member.life.isOver) this.#forget(group, member);
      this.#deliver(topic);
    };
    this.#world.plan(leaseMs / PER_LEASE, '', renew, member.life);
    this.#world.plan(leaseMs, '', watch);
    const deliveries = batch.map((one): Delivery => {
      return { ...one.message, topic, attempt: one.attempt, publishedAt: one.publishedAt, signal: lease.signal };
    });
    const ended = (error: unknown, failed: boolean): void => {
      isDone = true;
      member.stop.signal.removeEventListener('abort', release);
      this.#world.plan(this.#network.delay(), `bus settles ${ids}${failed ? `: ${String(error)}` : ''}`, () => {
        member.running--;
        for (const one of batch)
          if (one.heldBy === member)
            this.#settle(topic, group, one, { failed, error, aborted: lease.signal.aborted, settings: member.settings });
        this.#deliver(topic);
      });
    };
    const work = (): void =>
      void member.handler(deliveries).then(
        () => ended(undefined, false),
        (error: unknown) => ended(error, true),
      );
    this.#world.plan(this.#network.delay(), `handles ${topic} ${ids} attempt ${batch[0]?.attempt}`, work, member.life);
  }

  #forget({ members }: Group, member: Member): void {
    const at = members.indexOf(member);
    if (at >= 0) members.splice(at, 1);
  }

  #settle(
    topic: string,
    group: Group,
    one: Pending,
    { failed, error, aborted, settings }: Readonly<{ failed: boolean; error: unknown; aborted: boolean; settings: ConsumeSettings }>,
  ): void {
    one.heldBy = undefined;
    if (failed && aborted) return;
    if (failed) {
      const { now } = this.#world;
      const outcome = afterFailure(error, one.attempt, settings, { now, random: () => this.#world.prng.next() });
      if (outcome.outcome === 'retry') {
        one.notBefore = outcome.at;
        this.#world.plan(outcome.at - now, '', () => this.#deliver(topic));
        return;
      }
      if (outcome.outcome === 'dead') this.#deadLetter(topic, one, outcome.error);
    } else if (this.#network.isFaulty && this.#world.prng.chance(this.#options.duplicates)) return;
    one.settled = true;
    const at = group.pending.indexOf(one);
    if (at >= 0) group.pending.splice(at, 1);
  }

  #deadLetter(topic: string, { message, attempt }: Pending, error: string): void {
    this.#world.note(`bus dead-letters ${message.id}: ${error}`);
    this.deadLetters.push({ id: message.id, message, topic, group: '', attempts: attempt, error, failedAt: '' });
  }
}

const pendingOf = (stored: Stored): Pending => ({
  ...stored,
  attempt: 0,
  notBefore: 0,
  leaseUntil: 0,
  heldBy: undefined,
  settled: false,
});

/** The bus as a process reaches it. */
export const remoteBus = (server: BusServer, network: Network, life: Life): MessageBus => {
  const call = <T>(label: string, effect: () => T): Promise<T> => network.call(life, 'bus', label, async () => effect());
  return {
    publish: (topic, messages) =>
      call(`publish ${messages.map(({ id }) => id).join(',')} to ${topic}`, () => server.publish(topic, messages)),
    subscribe: (topic, group) => call(`subscribe ${topic}`, () => void server.subscribe(topic, group)),
    consume: async (options: ConsumeOptions, handler: Handler): Promise<Consumer> => {
      const { topic, group } = options;
      const member: Member = { life, settings: consumeSettings(options), handler, stop: new AbortController(), running: 0 };
      await call(`consume ${topic}`, () => server.join(topic, group, member));
      return {
        pause: () => undefined,
        resume: () => undefined,
        stop: async () => {
          member.stop.abort();
          await call(`leave ${topic}`, () => server.leave(topic, group, member));
        },
      };
    },
    lag: (topic, group) => call(`lag of ${topic}`, () => server.lag(topic, group)),
    deadLetters: () => call('dead letters', () => [...server.deadLetters]),
    retryDeadLetter: () => Promise.resolve(false),
    discardDeadLetter: () => Promise.resolve(false),
    close: () => Promise.resolve(),
  };
};
