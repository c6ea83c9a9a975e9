import { InvalidValue, NotCaughtUp, Overloaded } from '@palimpsest/knowledge/errors';
import type { EventLog } from '@palimpsest/knowledge/ports';
import type { ReadModels } from '@palimpsest/knowledge/read-models';
import type { Position, TenantId } from '@palimpsest/knowledge/values';
import { SharedHead } from './shared-head.ts';

export const MAX_WAIT_MS = 10_000;
/** Maximum number of requests of a tenant that wait for the read models at the same time, in one process. */
export const MAX_WAITING_PER_TENANT = 64;
const RETRY_SECONDS = 1;

/** A minimum position, and the field of the request that holds it. */
export type AtLeast = Readonly<{ field: string; position: Position }>;

/** Delays a request until the read models have reached the position that it asks for. */
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

  /**
   * @throws InvalidValue if the log does not have the position (NotCaughtUp if the log may not know its end), Overloaded if too many
   * requests of the tenant already wait, NotCaughtUp if the position was not reached in time
   */
  async pass(tenant: TenantId, asked: AtLeast, signal: AbortSignal): Promise<void> {
    const waiting = this.#waiting.get(tenant) ?? 0;
    if (waiting >= MAX_WAITING_PER_TENANT)
      throw new Overloaded(
        `${waiting} requests of this tenant are waiting for the read models to catch up, which is the limit`,
        RETRY_SECONDS,
      );
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
    const finished = new AbortController();
    const reached = this.#readModels.reached(position, MAX_WAIT_MS, AbortSignal.any([signal, finished.signal]));
    try {
      // The read models may reach the position before the log has responded.
      const exists = await Promise.race([reached, this.#head.covers(position)]);
      if (!exists && !signal.aborted && !this.isOpen({ field, position })) throw this.#unknown(field, position);
      if (!(await reached)) throw new NotCaughtUp(`the read models are at position ${this.#readModels.position()}, not at ${position} yet`);
    } finally {
      finished.abort();
    }
  }

  /** If the log may not know its own end for a while, the position may exist, and the caller may retry. */
  #unknown(field: string, position: Position): NotCaughtUp | InvalidValue {
    if (this.#log.headMayLag === true) return new NotCaughtUp(`the event log has not reached position ${position}`);
    return new InvalidValue(field, 'a position from an earlier response', String(position));
  }
}
