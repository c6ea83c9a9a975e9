import { PermanentFailure, RetryLater, type Delivery, type Handler } from '@palimpsest/knowledge/ports';
import type { Assignment } from './assignment.ts';
import { backoffMs } from './backoff.ts';
import type { Progress } from './commit-metadata.ts';
import type { DeadLetterEntry } from './kafka-dead-letters.ts';
import type { Entry } from './partition-work.ts';
import { contentOf, fromKafka } from './message-codec.ts';
import type { Taken } from './ready-keys.ts';
import { afterFailure, type ConsumeSettings, type Outcome } from '@palimpsest/contracts';
import { pause } from '@palimpsest/foundation';

/** How often the process may die during one message. After that, the message becomes a dead letter, so that it kills no more processes. */
const MAX_LOSSES = 20;

export type CallContext = Readonly<{
  topic: string;
  group: string;
  settings: ConsumeSettings;
  handler: Handler;
  /** Whether the consumer currently accepts messages. */
  isAccepting: () => boolean;
  deadLetter: (entry: DeadLetterEntry) => Promise<void>;
  onFault: (error: Error) => void;
}>;

/** One call of the handler, from marking its messages as tried to recording their outcome. */
export class HandlerCall {
  /** Resolves with the duration of the handler, in milliseconds. */
  readonly ended: Promise<number>;
  readonly #context: CallContext;
  readonly #assignment: Assignment;
  readonly #taken: Taken;
  readonly #entries: readonly Entry[];
  readonly #abortion = new AbortController();
  readonly #over = new AbortController();

  constructor(context: CallContext, assignment: Assignment, taken: Taken) {
    this.#context = context;
    this.#assignment = assignment;
    this.#taken = taken;
    this.#entries = taken.entries;
    this.ended = this.#run();
  }

  /** Asks the handler to end. A failure after that does not count as an attempt. */
  abort(): void {
    this.#abortion.abort(new Error('the consumer stops, or its partitions are released'));
  }

  /** Returns its messages although the handler has not ended. The outcome of the handler is ignored from now on. */
  abandon(): void {
    if (this.#over.signal.aborted) return;
    this.#over.abort('over');
    for (const entry of this.#entries) this.#assignment.finish(entry, { outcome: 'return' });
    this.#assignment.ended(this);
  }

  async #run(): Promise<number> {
    const begun = await this.#assignment.begin(this, this.#taken).then(
      () => true,
      () => false,
    );
    if (!begun || !this.#assignment.isRunning || !this.#context.isAccepting()) return (this.abandon(), Number.POSITIVE_INFINITY);
    const began = performance.now();
    const outcomes = await this.#outcomes();
    const ms = performance.now() - began;
    await this.#writeDeadLetters(outcomes);
    if (this.#over.signal.aborted) return ms;
    this.#over.abort('over');
    for (const [i, entry] of this.#entries.entries()) this.#assignment.finish(entry, outcomes[i] ?? { outcome: 'done' });
    this.#assignment.ended(this);
    return ms;
  }

  async #outcomes(): Promise<readonly Outcome[]> {
    const doomed = this.#entries.map((entry) => this.#progress(entry).lost >= MAX_LOSSES);
    if (doomed.includes(true))
      return doomed.map((is) =>
        is ? { outcome: 'dead', error: `the process died ${MAX_LOSSES} times while it handled this message` } : { outcome: 'return' },
      );
    try {
      await this.#context.handler(this.#entries.map((entry) => this.#delivery(entry)));
      return this.#entries.map(() => ({ outcome: 'done' }));
    } catch (error) {
      return this.#entries.map((entry) => this.#failed(error, entry));
    }
  }

  #failed(error: unknown, entry: Entry): Outcome {
    const deliberate = error instanceof PermanentFailure || error instanceof RetryLater;
    if (this.#abortion.signal.aborted && !deliberate) return { outcome: 'return' };
    const failures = this.#progress(entry).failures + 1;
    return afterFailure(error, failures, this.#context.settings, { now: Date.now(), random: Math.random });
  }

  /** A dead letter is written before its message is settled: a crash in between writes it again, under the same id. */
  async #writeDeadLetters(outcomes: readonly Outcome[]): Promise<void> {
    const { topic, group, deadLetter, onFault } = this.#context;
    for (const [i, outcome] of outcomes.entries()) {
      const entry = this.#entries[i];
      if (outcome.outcome !== 'dead' || entry === undefined) continue;
      const { partition } = entry.queue.work;
      const letter = {
        topic,
        group,
        partition,
        offset: entry.offset,
        message: fromKafka(entry.message),
        attempts: this.#delivery(entry).attempt,
        error: outcome.error,
      };
      for (let failures = 0; !this.#over.signal.aborted; failures += 1)
        try {
          await deadLetter(letter);
          break;
        } catch (error) {
          onFault(error instanceof Error ? error : new Error(String(error)));
          await pause(backoffMs(failures), this.#over.signal);
        }
    }
  }

  #progress({ queue, offset }: Entry): Progress {
    return queue.work.ledger.progress(offset);
  }

  #delivery(entry: Entry): Delivery {
    const { failures, lost } = this.#progress(entry);
    const { message, id, queue } = entry;
    const { headers, body, publishedAt } = contentOf(message);
    const { topic } = this.#context;
    return { id, key: queue.key, headers, body, topic, attempt: failures + lost + 1, publishedAt, signal: this.#abortion.signal };
  }
}
