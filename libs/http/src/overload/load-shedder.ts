import { SYSTEM } from '@palimpsest/foundation';
import { ConcurrencyLimiter, type Admitted, type ConcurrencyLimit, type Later, type Refusal } from './concurrency-limiter.ts';
import type { KindOfWork } from './kind-of-work.ts';

export type LoadShedderLimits = Readonly<Record<KindOfWork, ConcurrencyLimit>> &
  Readonly<{ /** How long a request may wait in the queue, in milliseconds. */ waitMs: number }>;

const REPORT_INTERVAL_MS = 10_000;

/** For each kind of work: requests in progress, requests in the queue, and requests refused since the start. */
export type LoadShedderFigures = Readonly<Record<KindOfWork, Readonly<{ active: number; waiting: number; refused: number }>>>;

/** One concurrency limiter for each kind of work, so that uploads do not block searches. */
export class LoadShedder {
  readonly #limiters: Readonly<Record<KindOfWork, ConcurrencyLimiter>>;
  readonly #refused: Record<KindOfWork, number> = { search: 0, write: 0, read: 0 };

  #reportedAt = -Infinity;
  readonly #report: (refused: Readonly<Record<KindOfWork, number>>) => void;

  /** `onRefused` is called on the first refusal and then at most every ten seconds, with the number of refusals since the start. */
  constructor(
    { waitMs, search, write, read }: LoadShedderLimits,
    onRefused: (refused: Readonly<Record<KindOfWork, number>>) => void = () => undefined,
    later: Later = SYSTEM.scheduler.soon,
  ) {
    this.#report = onRefused;
    this.#limiters = {
      search: new ConcurrencyLimiter(search, waitMs, later),
      write: new ConcurrencyLimiter(write, waitMs, later),
      read: new ConcurrencyLimiter(read, waitMs, later),
    };
  }

  acquire(kind: KindOfWork, bytes: number, admit: (admitted: Admitted) => void, refuse: (refusal: Refusal) => void): () => void {
    return this.#limiters[kind].acquire(bytes, admit, (refusal) => {
      this.#refused[kind]++;
      this.#reportRefusals();
      refuse(refusal);
    });
  }

  #reportRefusals(): void {
    const now = SYSTEM.clock.elapsed();
    if (now - this.#reportedAt < REPORT_INTERVAL_MS) return;
    this.#reportedAt = now;
    this.#report({ ...this.#refused });
  }

  figures(): LoadShedderFigures {
    const of = (kind: KindOfWork) => ({
      active: this.#limiters[kind].active,
      waiting: this.#limiters[kind].waiting,
      refused: this.#refused[kind],
    });
    return { search: of('search'), write: of('write'), read: of('read') };
  }
}
