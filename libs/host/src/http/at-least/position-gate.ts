import { InvalidValue, NotCaughtUp, Overloaded } from '@palimpsest/knowledge';
import type { EventLog, Position, ReadModels, TenantId } from '@palimpsest/knowledge';
import { SharedHead } from './shared-head.ts';

const PATIENCE_MS = 10_000;
/** Requests of a tenant that may wait for the read models at the same time, in one process. */
export const MAX_WAITING_PER_TENANT = 64;
const RETRY_SECONDS = 1;

/** A position that a request asks for, and where it named it. */
export type AtLeast = Readonly<{ field: string; position: Position }>;

/** Holds a request up until the read models have come to the position that it asks for. */
export class PositionGate {
  readonly #readModels: ReadModels;
  readonly #log: Pick<EventLog, 'headMayLag'>;
  readonly #head: SharedHead;
  readonly #waiting = new Map<TenantId, number>();

  constructor(readModels: ReadModels, log: Pick<EventLog, 'head' | 'headMayLag'>) {
    this.#readModels = readModels;
    this.#log = log;
    this.#head = new SharedHead(log);
  }

  isOpen({ position }: AtLeast): boolean {
    return position <= this.#readModels.position();
  }

  /** @throws InvalidValue (or NotCaughtUp, where the log may not know its end) for a position that the log does not have, Overloaded when too many of the tenant wait already, NotCaughtUp */
  async pass(tenant: TenantId, asked: AtLeast, signal: AbortSignal): Promise<void> {
    const waiting = this.#waiting.get(tenant) ?? 0;
    if (waiting >= MAX_WAITING_PER_TENANT)
      throw new Overloaded(`${waiting} requests of this tenant are waiting for the read models to catch up, which is the most allowed`, RETRY_SECONDS);
    this.#waiting.set(tenant, waiting + 1);
    try {
      await this.#wait(asked, signal);
    } finally {
      const left = (this.#waiting.get(tenant) ?? 1) - 1;
      if (left > 0) this.#waiting.set(tenant, left);
      else this.#waiting.delete(tenant);
    }
  }

  async #wait({ field, position }: AtLeast, signal: AbortSignal): Promise<void> {
    const over = new AbortController();
    const reached = this.#readModels.reached(position, PATIENCE_MS, AbortSignal.any([signal, over.signal]));
    try {
      // The read models may get there before the log has answered.
      const exists = await Promise.race([reached, this.#head.covers(position)]);
      if (!exists && !signal.aborted && !this.isOpen({ field, position })) throw this.#unknown(field, position);
      if (!(await reached)) throw new NotCaughtUp(`the read models are at position ${this.#readModels.position()}, not at ${position} yet`);
    } finally {
      over.abort();
    }
  }

  /** Where the log may not know its own end for a while, the position may exist: the caller may try again. */
  #unknown(field: string, position: Position): NotCaughtUp | InvalidValue {
    if (this.#log.headMayLag === true) return new NotCaughtUp(`the event log has not reached position ${position}`);
    return new InvalidValue(field, 'a position that an earlier answer gave', String(position));
  }
}
