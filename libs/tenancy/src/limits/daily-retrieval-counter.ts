import type { Journal } from '@palimpsest/contracts';
import { SYSTEM, type Clock, type System } from '@palimpsest/foundation';
import { retrievalStream } from '@palimpsest/knowledge/deciders';
import { projection } from '@palimpsest/knowledge/events';
import { START } from '@palimpsest/knowledge/values';
import type { DomainEvent, Fact, RetrievalEvent } from '@palimpsest/knowledge/events';
import type { Position, TenantId } from '@palimpsest/knowledge/values';
import { InMemoryProjection } from '@palimpsest/contracts';

/** `last`: trace id of the retrieval that was counted last. */
type Counted = { day: string; count: number; last: string | undefined; readonly upTo: Position };

/** How long a retrieval counts whose record never reaches the log (records are dropped under load). */
const RECORD_TIMEOUT_MS = 60_000;

/**
 * Counts the retrievals of each tenant today (UTC) from the retrieval records on the log. The two events of a miss are adjacent and count
 * once. Reads the existing records of a tenant on first use and follows the log from then on. Adds retrievals of this process until their
 * records arrive.
 */
export class DailyRetrievalCounter {
  readonly #journal: Journal;
  readonly #now: () => string;
  readonly #onError: (error: unknown) => void;
  readonly #clock: Clock;
  readonly #projection: InMemoryProjection;
  readonly #counted = new Map<TenantId, Promise<Counted>>();
  /** Trace ids of records that are not on the log yet, with the time at which they expire. */
  readonly #pending = new Map<TenantId, Map<string, number>>();
  #following: Promise<void> | undefined;

  constructor(journal: Journal, now: () => string, onError: (error: unknown) => void, { clock, scheduler }: System = SYSTEM) {
    this.#clock = clock;
    this.#journal = journal;
    this.#now = now;
    this.#onError = onError;
    const recorded = (fact: Fact<RetrievalEvent>): void => this.#recorded(fact);
    this.#projection = new InMemoryProjection(
      journal,
      projection('retrievals-today', {
        KnowledgeRetrieved: recorded,
        KnowledgeRetrievalMiss: recorded,
      }),
      scheduler,
    );
  }

  async count(tenant: TenantId): Promise<number> {
    const counted = await this.#of(tenant);
    const today = this.#today();
    const pending = this.#pending.get(tenant) ?? new Map<string, number>();
    for (const [traceId, until] of pending) if (until < this.#clock.elapsed()) pending.delete(traceId);
    return (counted.day === today ? counted.count : 0) + pending.size;
  }

  /** Seconds until midnight UTC. */
  untilTomorrow(): number {
    const now = Date.parse(this.#now());
    return Math.ceil((Date.parse(`${this.#today()}T00:00:00.000Z`) + 86_400_000 - now) / 1_000);
  }

  retrieved(tenant: TenantId, traceId: string): void {
    const pending = this.#pending.get(tenant) ?? new Map<string, number>();
    pending.set(traceId, this.#clock.elapsed() + RECORD_TIMEOUT_MS);
    this.#pending.set(tenant, pending);
  }

  async stop(): Promise<void> {
    await this.#following?.catch(() => undefined);
    await this.#projection.stop();
  }

  #today(): string {
    return this.#now().slice(0, 10);
  }

  #of(tenant: TenantId): Promise<Counted> {
    const known = this.#counted.get(tenant) ?? this.#read(tenant);
    this.#counted.set(tenant, known);
    known.catch(() => this.#counted.delete(tenant));
    return known;
  }

  /** After a failure, the next caller tries again. */
  #follow(): Promise<void> {
    this.#following ??= this.#journal.log
      .head()
      .then((head) => this.#projection.start(head, this.#onError))
      .catch((error: unknown) => {
        this.#following = undefined;
        throw error;
      });
    return this.#following;
  }

  /** Follows the log before reading it, so that no record is missed. Records that are read twice are detected by position. */
  async #read(tenant: TenantId): Promise<Counted> {
    await this.#follow();
    const day = this.#today();
    let [count, upTo]: [number, Position] = [0, START];
    let [newest, previous]: (string | undefined)[] = [];
    for await (const fact of this.#journal.readStream(retrievalStream(tenant), { direction: 'backwards' })) {
      if (dayOf(fact) < day) break;
      if (fact.position > upTo) upTo = fact.position;
      count += dayOf(fact) === day && traceIdOf(fact) !== previous ? 1 : 0;
      previous = traceIdOf(fact);
      newest ??= previous;
    }
    return { day, count, last: newest, upTo };
  }

  #recorded(fact: Fact<RetrievalEvent>): void {
    const { tenant } = fact.metadata;
    this.#pending.get(tenant)?.delete(traceIdOf(fact));
    void this.#counted.get(tenant)?.then(
      (counted) => add(counted, fact),
      () => undefined,
    );
  }
}

const add = (counted: Counted, fact: Fact<RetrievalEvent>): void => {
  const day = dayOf(fact);
  if (fact.position <= counted.upTo || day < counted.day) return;
  if (day > counted.day) [counted.day, counted.count] = [day, 0];
  if (counted.last !== traceIdOf(fact)) counted.count++;
  counted.last = traceIdOf(fact);
};

const dayOf = ({ event }: Fact<DomainEvent>): string => (event as RetrievalEvent).data.retrievedAt.slice(0, 10);
const traceIdOf = ({ event }: Fact<DomainEvent>): string => (event as RetrievalEvent).data.traceId;
