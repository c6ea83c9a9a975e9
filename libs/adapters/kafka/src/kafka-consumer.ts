import type { Consumer } from '@palimpsest/knowledge/ports';
import { ABORT_GRACE_MS, type Assignment } from './assignment.ts';
import { endsWithin } from './backoff.ts';
import { HandlerCall, type CallContext } from './handler-call.ts';
import type { Taken } from './ready-keys.ts';

const DEFAULT_GRACE_MS = 10_000;
/** A handler that is faster than a commit, which takes some milliseconds. */
const QUICK_MS = 10;
/** Limits how many messages count an attempt that no handler saw after a crash. */
const MAX_CALLS_AHEAD = 8;

/** A member of a group in this process. It handles the messages that the group's worker gives it. */
export class KafkaConsumer implements Consumer {
  readonly context: CallContext;
  readonly #wake: () => void;
  readonly #left: (consumer: KafkaConsumer) => Promise<void>;
  readonly #calls = new Set<HandlerCall>();
  #state: 'running' | 'paused' | 'stopped' = 'running';
  #stopping: Promise<void> | undefined;
  /** A moving average of the duration of a handler call. */
  #averageMs = Number.POSITIVE_INFINITY;

  constructor(context: Omit<CallContext, 'isAccepting'>, wake: () => void, left: (consumer: KafkaConsumer) => Promise<void>) {
    this.context = { ...context, isAccepting: () => this.#state === 'running' };
    this.#wake = wake;
    this.#left = left;
  }

  /** How many more handler calls it accepts. */
  get free(): number {
    return this.#state === 'running' ? this.context.settings.concurrency - this.#calls.size : 0;
  }

  /** How many further messages it will take within the duration of two commits; 0 unless its handler is fast. */
  get appetite(): number {
    if (this.#state !== 'running' || this.#averageMs >= QUICK_MS) return 0;
    const { concurrency, batchSize } = this.context.settings;
    return concurrency * batchSize * Math.min(MAX_CALLS_AHEAD, Math.ceil((2 * QUICK_MS) / this.#averageMs));
  }

  handle(assignment: Assignment, taken: Taken): void {
    const call = new HandlerCall(this.context, assignment, taken);
    this.#calls.add(call);
    void call.ended.then((ms) => {
      this.#calls.delete(call);
      this.#averageMs = Number.isFinite(this.#averageMs) ? 0.8 * this.#averageMs + 0.2 * ms : ms;
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

  /** Behaves as if the process had ended. */
  kill(): void {
    this.#state = 'stopped';
    this.#stopping = Promise.resolve();
  }

  async #stop(graceMs: number): Promise<void> {
    if (!(await this.#callsEnd(graceMs))) {
      for (const call of this.#calls) call.abort();
      if (!(await this.#callsEnd(ABORT_GRACE_MS))) for (const call of this.#calls) call.abandon();
    }
    await this.#left(this);
  }

  #callsEnd(ms: number): Promise<boolean> {
    return this.#calls.size === 0 ? Promise.resolve(true) : endsWithin(Promise.all([...this.#calls].map((call) => call.ended)), ms);
  }
}
