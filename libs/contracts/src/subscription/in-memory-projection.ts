import type { FactBatch, Journal } from '../journal.ts';
import { eachBatch, Subscription } from './subscription.ts';
import { SYSTEM, type Scheduler } from '@palimpsest/foundation';
import type { Projection } from '@palimpsest/knowledge/events';
import { START, type Position } from '@palimpsest/knowledge/values';

/**
 * Projects facts into a state in memory, from a given position on, for the lifetime of the process. It has no checkpoint. Sealed fields have
 * placeholders: such states concern all scopes, and the damaged key of one of them must not prevent a start.
 */
export class InMemoryProjection {
  readonly #journal: Journal;
  readonly #subscription: Subscription<FactBatch>;
  #after: Position = START;
  #onError: (error: unknown) => void = () => undefined;

  constructor(journal: Journal, { handles, project }: Projection<void, void>, scheduler: Scheduler = SYSTEM.scheduler) {
    this.#journal = journal;
    this.#subscription = new Subscription<FactBatch>(
      {
        begin: (reached) => reached ?? this.#after,
        follow: (after, signal) => journal.follow({ after, signal, types: handles, opens: false }),
        run: eachBatch(({ facts }) => facts.forEach((fact) => project(fact))),
        onError: (error) => this.#onError(error),
      },
      { scheduler },
    );
  }

  /** Projects all facts after `after` that are on the log, then follows it. @throws read errors before that, for example of a damaged log */
  async start(after: Position, onError: (error: unknown) => void): Promise<void> {
    this.#after = after;
    await this.#subscription.startUpTo(await this.#journal.log.head());
    this.#onError = onError;
  }

  async stop(): Promise<void> {
    await this.#subscription.stop();
  }

  /** Resolves when everything up to `position` is projected; with `timeoutMs`, after that time at the latest, and on `stop`. */
  async reached(position: Position, timeoutMs?: number): Promise<void> {
    await this.#subscription.reached(position, timeoutMs);
  }
}
