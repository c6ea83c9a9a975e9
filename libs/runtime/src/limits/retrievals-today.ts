import type { Journal } from '@palimpsest/contracts';
import { retrievalStream, START } from '@palimpsest/knowledge';
import type { DomainEvent, Fact, Position, TenantId } from '@palimpsest/knowledge';
import { LogFold } from '../log-fold.ts';

/** `last`: the trace that was counted last. */
type Counted = { day: string; count: number; last: string | undefined; readonly upTo: Position };

/** A trace that never came to the log (it is dropped when there are too many) counts for so long. */
const FORGET_AFTER_MS = 60_000;
const TYPES = ['KnowledgeRetrieved', 'KnowledgeRetrievalMiss'] as const;

/**
 * How often each tenant retrieved today (UTC), from the traces on the log (the two events of a miss are adjacent, and count once): what is there is read once when a tenant is first
 * asked about, what comes is followed. Retrievals of this process are added until their trace has come.
 */
export class RetrievalsToday {
  readonly #journal: Journal;
  readonly #now: () => string;
  readonly #onError: (error: unknown) => void;
  readonly #fold: LogFold;
  readonly #counted = new Map<TenantId, Promise<Counted>>();
  /** Traces on their way to the log, with the time from which they are not waited for any more. */
  readonly #awaited = new Map<TenantId, Map<string, number>>();
  #following: Promise<void> | undefined;

  constructor(journal: Journal, now: () => string, onError: (error: unknown) => void) {
    this.#journal = journal;
    this.#now = now;
    this.#onError = onError;
    this.#fold = new LogFold(journal, TYPES, (fact) => this.#arrived(fact));
  }

  async count(tenant: TenantId): Promise<number> {
    const counted = await this.#of(tenant);
    const today = this.#today();
    const awaited = this.#awaited.get(tenant) ?? new Map<string, number>();
    for (const [trace, until] of awaited) if (until < performance.now()) awaited.delete(trace);
    return (counted.day === today ? counted.count : 0) + awaited.size;
  }

  /** Seconds. */
  untilTomorrow(): number {
    const now = Date.parse(this.#now());
    return Math.ceil((Date.parse(`${this.#today()}T00:00:00.000Z`) + 86_400_000 - now) / 1_000);
  }

  made(tenant: TenantId, traceId: string): void {
    const awaited = this.#awaited.get(tenant) ?? new Map<string, number>();
    awaited.set(traceId, performance.now() + FORGET_AFTER_MS);
    this.#awaited.set(tenant, awaited);
  }

  async stop(): Promise<void> {
    await this.#following;
    await this.#fold.stop();
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

  /** Followed first, so that nothing is missed in between; what is met twice is told by its position. */
  async #read(tenant: TenantId): Promise<Counted> {
    this.#following ??= this.#journal.log.head().then((head) => this.#fold.start(head, this.#onError));
    await this.#following;
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

  #arrived(fact: Fact<DomainEvent>): void {
    const { tenant } = fact.metadata;
    this.#awaited.get(tenant)?.delete(traceIdOf(fact));
    void this.#counted.get(tenant)?.then((counted) => add(counted, fact), () => undefined);
  }
}

const add = (counted: Counted, fact: Fact<DomainEvent>): void => {
  const day = dayOf(fact);
  if (fact.position <= counted.upTo || day < counted.day) return;
  if (day > counted.day) [counted.day, counted.count] = [day, 0];
  if (counted.last !== traceIdOf(fact)) counted.count++;
  counted.last = traceIdOf(fact);
};

type Trace = Extract<DomainEvent, { type: (typeof TYPES)[number] }>;
const dayOf = ({ event }: Fact<DomainEvent>): string => (event as Trace).data.retrievedAt.slice(0, 10);
const traceIdOf = ({ event }: Fact<DomainEvent>): string => (event as Trace).data.traceId;
