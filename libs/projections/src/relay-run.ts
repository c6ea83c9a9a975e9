import { eachBatch, GROUPS, Subscription, TOPICS, type FactBatch, type Journal } from '@palimpsest/contracts';
import { SYSTEM, type System } from '@palimpsest/foundation';
import type { Fact, KnowledgeBaseResumed } from '@palimpsest/knowledge/events';
import type { Checkpoints, Message, MessageBus } from '@palimpsest/knowledge/ports';
import { earlierOf, type Position, type TenantId } from '@palimpsest/knowledge/values';
import { Signal } from './signal.ts';
import { atLeastOne, InFlightWindow, inFlightWindowOptions, type InFlightWindowOptions } from './in-flight-window.ts';
import { FairQueue } from './fair-queue.ts';
import type { HeldDocuments } from './held-documents.ts';
import { releasedWork, relayProjection } from './relay-projection.ts';

export const CHECKPOINT = 'relay';

export type RelayOptions = InFlightWindowOptions &
  Readonly<{
    /** Maximum number of documents in memory, default 200,000. Beyond it, reading the log pauses until half of them are published. */
    maxWaiting?: number;
    /** Time between two checkpoints, in milliseconds, default 1,000: publishing again is harmless, so not every batch needs an fsync. */
    saveEveryMs?: number;
    /** Number of documents of a tenant that are published in one of its turns, default 1. */
    weightOf?: (tenant: TenantId) => number;
    system?: System;
  }>;

/** @throws InvalidValue */
export const relayOptions = ({
  maxWaiting = 200_000,
  saveEveryMs = 1_000,
  weightOf = () => 1,
  system = SYSTEM,
  ...window
}: RelayOptions): Required<RelayOptions> => ({
  ...inFlightWindowOptions(window),
  maxWaiting: atLeastOne('maxWaiting', maxWaiting),
  saveEveryMs: atLeastOne('saveEveryMs', saveEveryMs),
  weightOf,
  system,
});

export type RelayPorts = Readonly<{ journal: Journal; bus: MessageBus; checkpoints: Checkpoints; held: HeldDocuments }>;

/** Two swaps of 16 ranges each: other tenants wait for no more than these. */
const REEMBEDDING_WINDOW = { window: 32, min: 32 };

/** The messages of one topic that wait for capacity on the bus, and the group that handles them. */
type Lane = Readonly<{ topic: string; waiting: FairQueue<Waiting>; window: InFlightWindow }>;

/** `before`: position after which following the log reads the fact again. Positions cannot be computed, so it is stored. */
type Waiting = Readonly<{ message: Message; before: Position; release?: Release }>;

/** The release of held documents of a resumed knowledge base: `queued` of them wait now; `complete` once all were queued. */
type Release = { readonly fact: Fact<KnowledgeBaseResumed>; readonly before: Position; queued: number; complete: boolean };

/** One run of the relay: one task reads the log, another publishes waiting documents when the bus has capacity. */
export class RelayRun {
  readonly #ports: RelayPorts;
  readonly #options: Required<RelayOptions>;
  readonly #documents: Lane;
  readonly #ranges: Lane;
  readonly #enqueued: Signal;
  readonly #dequeued: Signal;
  readonly #releasing: Signal;
  /** Kept until published completely: their documents are queued behind later facts, so the heads of the queue do not show them. */
  readonly #releases = new Set<Release>();
  /** Every fact up to this position waits or was published. */
  #read: Position;
  #saved: Position;
  #savedAt = 0;
  #publishedSince = false;

  constructor(ports: RelayPorts, after: Position, options: Required<RelayOptions>) {
    this.#ports = ports;
    this.#options = options;
    const { clock, scheduler } = options.system;
    [this.#enqueued, this.#dequeued, this.#releasing] = [new Signal(scheduler), new Signal(scheduler), new Signal(scheduler)];
    const lane = (topic: string, group: string, window: Required<InFlightWindowOptions>): Lane => ({
      topic,
      waiting: new FairQueue((tenant) => options.weightOf(tenant as TenantId)),
      window: new InFlightWindow(
        () => ports.bus.lag(topic, group),
        window,
        () => clock.elapsed(),
      ),
    });
    this.#documents = lane(TOPICS.ingestion, GROUPS.ingestion, options);
    this.#ranges = lane(TOPICS.reembedding, GROUPS.reembedding, { ...options, ...REEMBEDDING_WINDOW });
    [this.#read, this.#saved] = [after, after];
  }

  /** Runs until the signal aborts, or until one task fails, which ends the others. */
  async run(signal: AbortSignal): Promise<void> {
    const stop = new AbortController();
    const halt = (): void => {
      stop.abort();
      this.#enqueued.notify();
      this.#dequeued.notify();
      this.#releasing.notify();
    };
    signal.addEventListener('abort', halt, { once: true });
    if (signal.aborted) halt();
    const tasks = [this.#readLog(stop.signal), this.#release(stop.signal), this.#publishWaiting(stop.signal)];
    const ended = await Promise.allSettled(tasks.map((task) => task.finally(halt)));
    signal.removeEventListener('abort', halt);
    for (const end of ended) if (end.status === 'rejected') throw end.reason;
    await this.#save();
  }

  async #readLog(signal: AbortSignal): Promise<void> {
    const { journal } = this.#ports;
    await new Subscription<FactBatch>(
      {
        begin: () => this.#read,
        follow: (after, stopped) => journal.follow({ after, signal: stopped, types: relayProjection.handles }),
        run: eachBatch(async (batch) => {
          await this.#enqueue(batch);
          this.#enqueued.notify();
          this.#releasing.notify();
          await this.#waitForCapacity(signal);
        }),
      },
      { scheduler: this.#options.system.scheduler },
    ).run(signal);
  }

  async #waitForCapacity(signal: AbortSignal): Promise<void> {
    const { maxWaiting } = this.#options;
    if (this.#documents.waiting.size < maxWaiting) return;
    while (this.#documents.waiting.size > maxWaiting / 2 && !signal.aborted) await this.#dequeued.wait();
  }

  /** Runs alongside reading the log, so that other documents do not wait until the catalog knows the held ones. */
  async #release(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const next = [...this.#releases].find(({ complete }) => !complete);
      if (next) await this.#releaseOne(next, signal);
      else await this.#releasing.wait();
    }
  }

  async #releaseOne(release: Release, signal: AbortSignal): Promise<void> {
    const { fact, before } = release;
    const { tenant } = fact.metadata;
    for await (const page of this.#ports.held.waiting(tenant, fact.event.data.id, fact.position, signal)) {
      for (const document of page) this.#documents.waiting.add(tenant, { message: releasedWork(fact, document), before, release });
      release.queued += page.length;
      this.#enqueued.notify();
      await this.#waitForCapacity(signal);
    }
    release.complete = !signal.aborted;
    this.#forgetWhenDone(release);
  }

  async #enqueue({ facts, upTo }: FactBatch): Promise<void> {
    const works = facts.map((fact) => ({ fact, work: relayProjection.project(fact) }));
    // No await from here on: the publishing task sees the whole batch or nothing of it.
    for (const { fact, work } of works) {
      if (work && 'release' in work) this.#releases.add({ fact: work.release, before: this.#read, queued: 0, complete: false });
      else if (work) {
        const { waiting } = work.topic === TOPICS.reembedding ? this.#ranges : this.#documents;
        for (const message of work.messages) waiting.add(fact.metadata.tenant, { message, before: this.#read });
      }
      this.#read = fact.position;
    }
    this.#read = upTo;
  }

  async #publishWaiting(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      if (this.#publishedSince && this.#options.system.clock.elapsed() - this.#savedAt >= this.#options.saveEveryMs) await this.#save();
      let published = false;
      for (const lane of [this.#documents, this.#ranges]) {
        const capacity = lane.waiting.size === 0 ? 0 : await lane.window.available();
        if (signal.aborted) return;
        if (capacity === 0) continue;
        await this.#publishNext(lane, capacity);
        published = true;
      }
      const polls = [this.#documents, this.#ranges].filter(({ waiting }) => waiting.size > 0).map(({ window }) => window.nextPollInMs());
      if (!published) await this.#enqueued.wait(polls.length === 0 ? undefined : Math.min(...polls));
    }
  }

  #forgetWhenDone(release: Release): void {
    if (release.complete && release.queued === 0) this.#releases.delete(release);
  }

  async #publishNext({ topic, waiting, window }: Lane, max: number): Promise<void> {
    const next = waiting.take(max);
    await this.#ports.bus.publish(
      topic,
      next.map(({ message }) => message),
    );
    this.#publishedSince = true;
    window.published(next.length);
    for (const { release } of next) {
      if (!release) continue;
      release.queued--;
      this.#forgetWhenDone(release);
    }
    this.#dequeued.notify();
  }

  /**
   * Saves the position before the earliest fact that still waits. While much is waiting it stays behind: what was published meanwhile
   * is published again after a restart, under the same ids. Call it only while nothing is being published, because documents taken
   * from the queue no longer count as waiting.
   */
  async #save(): Promise<void> {
    let reached = this.#read;
    for (const { before } of [...this.#documents.waiting.heads(), ...this.#ranges.waiting.heads(), ...this.#releases])
      reached = earlierOf(reached, before);
    this.#publishedSince = false;
    this.#savedAt = this.#options.system.clock.elapsed();
    if (reached <= this.#saved) return;
    await this.#ports.checkpoints.set(CHECKPOINT, reached);
    this.#saved = reached;
  }
}
