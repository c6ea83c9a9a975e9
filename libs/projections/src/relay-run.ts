import { GROUPS, TOPICS, type FactBatch, type Journal } from '@palimpsest/contracts';
import { earlierOf, type Checkpoints, type Fact, type KnowledgeBaseResumed, type Message, type MessageBus, type Position, type TenantId } from '@palimpsest/knowledge';
import { Bell } from './bell.ts';
import { atLeastOne, BusWindow, busWindowOptions, type BusWindowOptions } from './bus-window.ts';
import { FairQueue } from './fair-queue.ts';
import type { HeldDocuments } from './held-documents.ts';
import { releasedWork, WORK_TYPES, workOf } from './work-of.ts';

export const CHECKPOINT = 'relay';

export type RelayOptions = BusWindowOptions &
  Readonly<{
    /** Documents that wait in memory at most, default 200,000; beyond, the log is not read on until half of them are gone. */
    mostWaiting?: number;
    /** Between two checkpoints, in milliseconds, default 1,000: publishing again is harmless, so not every batch need cost an fsync. */
    saveEveryMs?: number;
    /** Documents of a tenant that go onto the bus in one turn of it, default 1. */
    weightOf?: (tenant: TenantId) => number;
  }>;

/** @throws InvalidValue */
export const relayOptions = ({ mostWaiting = 200_000, saveEveryMs = 1_000, weightOf = () => 1, ...window }: RelayOptions): Required<RelayOptions> => ({
  ...busWindowOptions(window),
  mostWaiting: atLeastOne('mostWaiting', mostWaiting),
  saveEveryMs: atLeastOne('saveEveryMs', saveEveryMs),
  weightOf,
});

export type RelayPorts = Readonly<{ journal: Journal; bus: MessageBus; checkpoints: Checkpoints; held: HeldDocuments }>;

/** `before`: what to follow the log after to meet its fact again. Positions cannot be computed, so each brings its own. */
type Waiting = Readonly<{ message: Message; before: Position; release?: Release }>;

/** A knowledge base was resumed, and what it held back is put into line: `inLine` of them now, all of them once `complete`. */
type Release = { readonly fact: Fact<KnowledgeBaseResumed>; readonly before: Position; inLine: number; complete: boolean };

/** The relay from one start to its end: one side reads the log, another publishes what waits as the bus has room for it. */
export class RelayRun {
  readonly #ports: RelayPorts;
  readonly #options: Required<RelayOptions>;
  readonly #window: BusWindow;
  readonly #waiting: FairQueue<Waiting>;
  readonly #arrived = new Bell();
  readonly #left = new Bell();
  readonly #releasing = new Bell();
  /** Until all of each is published: it goes into line behind later facts, so the heads of the lines do not tell. */
  readonly #releases = new Set<Release>();
  /** Every fact up to it waits or was published. */
  #read: Position;
  #saved: Position;
  #savedAt = 0;
  #publishedSince = false;

  constructor(ports: RelayPorts, after: Position, options: Required<RelayOptions>) {
    this.#ports = ports;
    this.#options = options;
    this.#waiting = new FairQueue((tenant) => options.weightOf(tenant as TenantId));
    this.#window = new BusWindow(() => ports.bus.lag(TOPICS.ingestion, GROUPS.ingestion), options);
    [this.#read, this.#saved] = [after, after];
  }

  /** Until the signal aborts, or one side fails, which ends the other. */
  async run(signal: AbortSignal): Promise<void> {
    const stop = new AbortController();
    const halt = (): void => {
      stop.abort();
      this.#arrived.ring();
      this.#left.ring();
      this.#releasing.ring();
    };
    signal.addEventListener('abort', halt, { once: true });
    if (signal.aborted) halt();
    const sides = [this.#readLog(stop.signal), this.#release(stop.signal), this.#publishWaiting(stop.signal)];
    const ended = await Promise.allSettled(sides.map((side) => side.finally(halt)));
    signal.removeEventListener('abort', halt);
    for (const end of ended) if (end.status === 'rejected') throw end.reason;
    await this.#save();
  }

  async #readLog(signal: AbortSignal): Promise<void> {
    for await (const batch of this.#ports.journal.follow({ after: this.#read, signal, types: WORK_TYPES })) {
      await this.#takeIn(batch);
      this.#arrived.ring();
      this.#releasing.ring();
      await this.#untilThereIsRoom(signal);
    }
  }

  async #untilThereIsRoom(signal: AbortSignal): Promise<void> {
    const { mostWaiting } = this.#options;
    if (this.#waiting.size < mostWaiting) return;
    while (this.#waiting.size > mostWaiting / 2 && !signal.aborted) await this.#left.wait();
  }

  /** Beside the reading of the log: until the catalogue knows what is held back, nobody else's documents wait for it. */
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
      for (const document of page) this.#waiting.add(tenant, { message: releasedWork(fact, document), before, release });
      release.inLine += page.length;
      this.#arrived.ring();
      await this.#untilThereIsRoom(signal);
    }
    release.complete = !signal.aborted;
    this.#forgetWhenDone(release);
  }

  async #takeIn({ facts, upTo }: FactBatch): Promise<void> {
    const works = facts.map((fact) => ({ fact, work: workOf(fact) }));
    // Re-embedding is one message for a whole scope, and is not in the way of documents: it goes at once.
    const atOnce = works.flatMap(({ work }) => (work?.topic === TOPICS.reembedding ? [work.message] : []));
    if (atOnce.length > 0) await this.#publish(TOPICS.reembedding, atOnce);
    // From here on nothing is awaited: the other side sees the whole batch or nothing of it.
    for (const { fact, work } of works) {
      if (fact.event.type === 'KnowledgeBaseResumed') this.#releases.add({ fact: fact as Fact<KnowledgeBaseResumed>, before: this.#read, inLine: 0, complete: false });
      if (work?.topic === TOPICS.ingestion) this.#waiting.add(fact.metadata.tenant, { message: work.message, before: this.#read });
      this.#read = fact.position;
    }
    this.#read = upTo;
  }

  async #publishWaiting(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      if (this.#publishedSince && performance.now() - this.#savedAt >= this.#options.saveEveryMs) await this.#save();
      const room = this.#waiting.size === 0 ? 0 : await this.#window.room();
      if (signal.aborted) return;
      if (room > 0) await this.#publishNext(room);
      else await this.#arrived.wait(this.#waiting.size === 0 ? undefined : this.#window.askAgainIn());
    }
  }

  #forgetWhenDone(release: Release): void {
    if (release.complete && release.inLine === 0) this.#releases.delete(release);
  }

  async #publishNext(most: number): Promise<void> {
    const next = this.#waiting.take(most);
    await this.#publish(TOPICS.ingestion, next.map(({ message }) => message));
    this.#window.published(next.length);
    for (const { release } of next) {
      if (!release) continue;
      release.inLine--;
      this.#forgetWhenDone(release);
    }
    this.#left.ring();
  }

  async #publish(topic: string, messages: readonly Message[]): Promise<void> {
    await this.#ports.bus.publish(topic, messages);
    this.#publishedSince = true;
  }

  /**
   * Before the earliest fact that still waits. While a long line waits it stays behind: what others published meanwhile is
   * published again after a restart, under the same ids. Called only while nothing is being published, since what was taken
   * out to be published does not count as waiting.
   */
  async #save(): Promise<void> {
    let reached = this.#read;
    for (const { before } of [...this.#waiting.heads(), ...this.#releases]) reached = earlierOf(reached, before);
    this.#publishedSince = false;
    this.#savedAt = performance.now();
    if (reached <= this.#saved) return;
    await this.#ports.checkpoints.set(CHECKPOINT, reached);
    this.#saved = reached;
  }
}
