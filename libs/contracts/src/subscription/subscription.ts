import { PausableLoop, pause, PositionWaiters, SYSTEM, type Scheduler } from '@palimpsest/foundation';
import { START, type Position } from '@palimpsest/knowledge/values';

/** What a log delivers: everything up to `upTo` was delivered; `caughtUp`: nothing newer was on the log. */
export type LogBatch = Readonly<{ upTo: Position; caughtUp: boolean }>;

/** What follows the log. It owns its checkpoint: the subscription asks it where to begin. */
export type Subscriber<B extends LogBatch> = Readonly<{
  /**
   * The position after which a run begins. `reached`: the position that this process has reached; undefined for its first run, and after
   * `restart`.
   */
  begin: (reached: Position | undefined, signal: AbortSignal) => Promise<Position> | Position;
  /** Reads the log after a position, until the signal aborts. */
  follow: (after: Position, signal: AbortSignal) => AsyncIterable<B>;
  /**
   * Handles the batches of one run in order, and calls `reached` when one is complete. The next batch is read when this one is requested.
   * Returns when the batches end.
   */
  run: (batches: AsyncIterable<B>, reached: (upTo: Position) => void, signal: AbortSignal, after: Position) => Promise<void>;
  /** Called for every failure between `start` and `stop`; a new run begins after a pause. Must not throw. */
  onError?: (error: unknown) => void;
}>;

export type SubscriptionOptions = Readonly<{
  /** Pause after a failure, in milliseconds. Default 1,000. */
  retryMs?: number;
  scheduler?: Scheduler;
}>;

const RETRY_MS = 1_000;

/** Follows the log between `start` and `stop`: reads batches, continues after failures, pauses, and lets callers wait for a position. */
export class Subscription<B extends LogBatch> {
  readonly #subscriber: Subscriber<B>;
  readonly #retryMs: number;
  readonly #scheduler: Scheduler;
  readonly #waiters: PositionWaiters;
  readonly #loop = new PausableLoop((signal) => this.#repeat(signal));
  #position: Position = START;
  #resumeAfter: Position | undefined;
  #failure: unknown;
  #stopped = false;
  #failed: ((error: unknown) => void) | undefined;

  constructor(subscriber: Subscriber<B>, { retryMs = RETRY_MS, scheduler = SYSTEM.scheduler }: SubscriptionOptions = {}) {
    this.#subscriber = subscriber;
    this.#retryMs = retryMs;
    this.#scheduler = scheduler;
    this.#waiters = new PositionWaiters(scheduler);
  }

  /** Everything up to this position was handled. START before the first run. */
  position(): Position {
    return this.#position;
  }

  /** The last failure, until a batch succeeds. */
  failure(): unknown {
    return this.#failure;
  }

  /** Whether `position` was handled within `timeoutMs` milliseconds (default: no limit), before `signal` aborted, and before `stop`. */
  reached(position: Position, timeoutMs?: number, signal?: AbortSignal): Promise<boolean> {
    if (this.#position >= position) return Promise.resolve(true);
    return this.#stopped ? Promise.resolve(false) : this.#waiters.wait(position, timeoutMs, signal);
  }

  /** Starts following; does not wait. */
  start(): void {
    this.#stopped = false;
    this.#loop.start();
  }

  /** Starts, and resolves when everything up to `position` was handled. @throws the first failure before that; then it has stopped */
  async startUpTo(position: Position): Promise<void> {
    const failed = new Promise<never>((_, reject) => (this.#failed = reject));
    failed.catch(() => undefined);
    this.start();
    try {
      await Promise.race([this.#waiters.wait(position), failed]);
    } catch (error) {
      await this.stop();
      throw error;
    } finally {
      this.#failed = undefined;
    }
  }

  /** Finishes the current batch. Callers that wait for a position get `false`. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#loop.stop();
    this.#waiters.giveUp();
  }

  /** Runs `work` while nothing is being handled and no other such work runs. */
  whilePaused<T>(work: () => Promise<T>): Promise<T> {
    return this.#loop.whilePaused(work);
  }

  /** The next run begins after this position; by default the subscriber decides. Call while paused, or from the subscriber. */
  restart(after?: Position): void {
    this.#position = after ?? START;
    this.#resumeAfter = after;
  }

  /** One run, without repeating it. @throws errors of the log and of the subscriber */
  async run(signal: AbortSignal): Promise<void> {
    const { begin, follow, run } = this.#subscriber;
    const after = await begin(this.#resumeAfter, signal);
    this.restart(after);
    await run(follow(after, signal), (upTo) => this.#reach(upTo), signal, after);
  }

  async #repeat(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.run(signal);
      } catch (error) {
        if (signal.aborted) return;
        this.#failure = error;
        this.#failed?.(error);
        this.#subscriber.onError?.(error);
        await pause(this.#retryMs, signal, this.#scheduler);
      }
    }
  }

  #reach(position: Position): void {
    this.#failure = undefined;
    this.#position = position;
    this.#resumeAfter = position;
    this.#waiters.reached(position);
  }
}

/** The `run` of a subscriber that handles one batch after the other. */
export const eachBatch =
  <B extends LogBatch>(handle: (batch: B, signal: AbortSignal) => Promise<void> | void): Subscriber<B>['run'] =>
  async (batches, reached, signal) => {
    for await (const batch of batches) {
      await handle(batch, signal);
      reached(batch.upTo);
    }
  };
