import type { Consumer } from '@palimpsest/knowledge';
import { HEED_SIGNAL_MS, type Assignment } from './assignment.ts';
import { endsWithin } from './backoff.ts';
import { HandlerCall, type CallContext } from './handler-call.ts';
import type { Taken } from './ready-keys.ts';

const DEFAULT_GRACE_MS = 10_000;
/** A commit takes some milliseconds. */
const QUICK_MS = 10;
/** So that a crash makes not too many messages count an attempt that no handler saw. */
const MOST_CALLS_AHEAD = 8;

/** A member of a group in this process. What it is to handle, the group's worker hands to it. */
export class KafkaConsumer implements Consumer {
  readonly context: CallContext;
  readonly #wake: () => void;
  readonly #left: (consumer: KafkaConsumer) => Promise<void>;
  readonly #calls = new Set<HandlerCall>();
  #state: 'running' | 'paused' | 'stopped' = 'running';
  #stopping: Promise<void> | undefined;
  /** A moving average of what a handler call takes. */
  #usualMs = Number.POSITIVE_INFINITY;

  constructor(context: Omit<CallContext, 'isWilling'>, wake: () => void, left: (consumer: KafkaConsumer) => Promise<void>) {
    this.context = { ...context, isWilling: () => this.#state === 'running' };
    this.#wake = wake;
    this.#left = left;
  }

  /** How many handler calls it takes more. */
  get free(): number {
    return this.#state === 'running' ? this.context.settings.concurrency - this.#calls.size : 0;
  }

  /** How many messages it will take within the time of two commits, besides those that it has; 0 unless its handler is quick. */
  get appetite(): number {
    if (this.#state !== 'running' || this.#usualMs >= QUICK_MS) return 0;
    const { concurrency, batchSize } = this.context.settings;
    return concurrency * batchSize * Math.min(MOST_CALLS_AHEAD, Math.ceil((2 * QUICK_MS) / this.#usualMs));
  }

  handle(assignment: Assignment, taken: Taken): void {
    const call = new HandlerCall(this.context, assignment, taken);
    this.#calls.add(call);
    void call.ended.then((ms) => {
      this.#calls.delete(call);
      this.#usualMs = Number.isFinite(this.#usualMs) ? 0.8 * this.#usualMs + 0.2 * ms : ms;
      this.#wake();
    });
  }

  pause(): void {
    if (this.#state === 'running') this.#state = 'paused';
  }

  resume(): void {
    if (this.#state !== 'paused') return;
    this.#state = 'running';
    this.#wake();
  }

  stop(graceMs = DEFAULT_GRACE_MS): Promise<void> {
    this.#state = 'stopped';
    this.#stopping ??= this.#stop(graceMs);
    return this.#stopping;
  }

  /** As the end of the process would. */
  kill(): void {
    this.#state = 'stopped';
    this.#stopping = Promise.resolve();
  }

  async #stop(graceMs: number): Promise<void> {
    if (!(await this.#callsEnd(graceMs))) {
      for (const call of this.#calls) call.abort();
      if (!(await this.#callsEnd(HEED_SIGNAL_MS))) for (const call of this.#calls) call.giveUp();
    }
    await this.#left(this);
  }

  #callsEnd(ms: number): Promise<boolean> {
    return this.#calls.size === 0 ? Promise.resolve(true) : endsWithin(Promise.all([...this.#calls].map((call) => call.ended)), ms);
  }
}
