import { SYSTEM, timestamp, type System } from '@palimpsest/foundation';
import { Conflict } from '@palimpsest/knowledge/errors';
import { START, type Position, type TenantId, type VectorScope } from '@palimpsest/knowledge/values';
import type { ScopesOfTenant } from '../refuse-unknown-scopes.ts';
import { NO_READERS, RebuildPace, type Readers } from './rebuild-pace.ts';

/** `embeddingCalls`: calls of this process to a model during the rebuild. The rebuild makes none; documents indexed meanwhile do. */
export type Rebuilt = Readonly<{ position: Position; documents: number; chunks: number; seconds: number; embeddingCalls: number }>;

/** `by`: the API key of the caller. `only`: these scopes of a tenant, instead of everything. */
export type RebuildOrder = Readonly<{ by: string; maxEventsPerSecond?: number; only?: ScopesOfTenant }>;

/** `positions`: of the log. `eventsPerSecond` counts the events that are projected, without pauses. */
export type RebuildStatus = Readonly<{
  state: 'running' | 'paused' | 'complete' | 'cancelled' | 'failed';
  startedAt: string;
  startedBy: string;
  /** Of a rebuild of single scopes. */
  tenant?: TenantId;
  scopes?: readonly VectorScope[];
  positions: Readonly<{ done: number; total: number }>;
  maxEventsPerSecond?: number;
  eventsPerSecond?: number;
  remainingSeconds?: number;
  endedAt?: string;
  /** Why it failed. */
  reason?: string;
  result?: Rebuilt;
}>;

type End =
  Readonly<{ state: 'complete'; result: Rebuilt }> | Readonly<{ state: 'cancelled' }> | Readonly<{ state: 'failed'; reason: string }>;

/** A rebuild from its start to its end: what it has done, and what an operator wants of it. */
export class RebuildRun {
  readonly pace: RebuildPace;
  readonly #order: RebuildOrder;
  readonly #system: System;
  readonly #cancelled = new AbortController();
  readonly #startedAt: string;
  #isExchanging = false;
  #end: (End & Readonly<{ endedAt: string }>) | undefined;
  #done: Position = START;
  #total: Position;
  #events = 0;
  /** Milliseconds of work without pauses, up to `#since`. */
  #worked = 0;
  #since: number;

  constructor(order: RebuildOrder, total: Position, readers: Readers = NO_READERS, system: System = SYSTEM) {
    this.#order = order;
    this.#total = total;
    this.#system = system;
    this.#startedAt = timestamp(system.clock);
    this.#since = system.clock.elapsed();
    this.pace = new RebuildPace(order.maxEventsPerSecond, readers, system);
  }

  /** Aborts with the error of the waiting caller. */
  get signal(): AbortSignal {
    return this.#cancelled.signal;
  }

  get isOver(): boolean {
    return this.#end !== undefined;
  }

  /** Everything up to `position` is projected; `events` since the last call. */
  reached(position: Position, events: number): void {
    this.#done = position;
    this.#events += events;
  }

  upTo(total: Position): void {
    this.#total = total;
  }

  pause(): void {
    if (this.pace.isReleased) throw new Conflict('the rebuild is about to end: it cannot be paused any more');
    if (!this.pace.isPaused) this.#worked = this.#workedMs();
    this.pace.pause();
  }

  resume(): void {
    if (this.pace.isPaused) this.#since = this.#system.clock.elapsed();
    this.pace.resume();
  }

  cancel(): void {
    if (this.#isExchanging) throw new Conflict('the new read models are already being exchanged: the rebuild cannot be cancelled any more');
    this.#cancelled.abort(new Conflict('the rebuild was cancelled; the read models are those from before it'));
  }

  /** From now on it cannot be cancelled. @throws Conflict if it was */
  exchanging(): void {
    this.#cancelled.signal.throwIfAborted();
    this.#isExchanging = true;
  }

  completed(result: Rebuilt): void {
    this.#ends({ state: 'complete', result });
  }

  failed(error: unknown): void {
    if (this.#cancelled.signal.aborted) this.#ends({ state: 'cancelled' });
    else this.#ends({ state: 'failed', reason: error instanceof Error ? error.message : String(error) });
  }

  status(): RebuildStatus {
    const { by, maxEventsPerSecond, only } = this.#order;
    return {
      state: this.pace.isPaused ? 'paused' : 'running',
      startedAt: this.#startedAt,
      startedBy: by,
      ...only,
      positions: { done: Number(this.#done), total: Number(this.#total) },
      ...(maxEventsPerSecond === undefined ? {} : { maxEventsPerSecond }),
      ...this.#rate(),
      ...this.#end,
    };
  }

  /** Nothing, until something was projected. */
  #rate(): Pick<RebuildStatus, 'eventsPerSecond' | 'remainingSeconds'> {
    const seconds = this.#workedMs() / 1_000;
    if (this.#events === 0 || seconds === 0) return {};
    const eventsPerSecond = this.#events / seconds;
    if (this.isOver) return { eventsPerSecond };
    return { eventsPerSecond, remainingSeconds: (Number(this.#total - this.#done) / Number(this.#done)) * seconds };
  }

  #workedMs(): number {
    return this.#worked + (this.pace.isPaused || this.isOver ? 0 : this.#system.clock.elapsed() - this.#since);
  }

  #ends(end: End): void {
    this.#worked = this.#workedMs();
    this.#end = { ...end, endedAt: timestamp(this.#system.clock) };
  }
}
