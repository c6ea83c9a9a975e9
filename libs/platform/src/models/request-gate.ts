import type { Cancel, System } from '@palimpsest/foundation';
import type { EmbeddingKind } from '@palimpsest/knowledge/ports';
import type { ModelLimits } from '@palimpsest/knowledge/models';

const WINDOW_MS = 60_000;
const ORDER: Readonly<Record<EmbeddingKind, number>> = { query: 0, passage: 1, background: 2 };
/** Passages that may overtake a waiting background request, so that it is late but never stuck. */
const MAX_OVERTAKING = 7;

/** A request that started within the window. */
type Started = Readonly<{ at: number; tokens: number }>;
type Waiting = Readonly<{ tokens: number; kind: EmbeddingKind; start: () => void }>;

/**
 * Lets requests start in order, queries before passages and passages before background texts, so that the limits of a model hold: at most `concurrency` at the same time, and
 * in any 60 seconds at most `requestsPerMinute` starts with at most `tokensPerMinute` tokens. A request with more tokens than that
 * counts as exactly that many, and so waits until it is the only one of its minute.
 */
export class RequestGate {
  readonly #limits: Required<Omit<ModelLimits, 'batchSize'>>;
  readonly #system: Pick<System, 'clock' | 'scheduler'>;
  #started: Started[] = [];
  readonly #waiting: Waiting[] = [];
  #running = 0;
  /** Passages started in a row while a background request waited. */
  #overtaking = 0;
  #timer: Cancel | undefined;

  constructor(
    { concurrency = Infinity, requestsPerMinute = Infinity, tokensPerMinute = Infinity }: ModelLimits,
    system: Pick<System, 'clock' | 'scheduler'>,
  ) {
    this.#limits = { concurrency, requestsPerMinute, tokensPerMinute };
    this.#system = system;
  }

  /** Runs the request as soon as the limits permit it. @throws the reason of the signal, immediately, if the request has not started */
  async run<T>(tokens: number, kind: EmbeddingKind, signal: AbortSignal | undefined, request: () => Promise<T>): Promise<T> {
    await this.#turn(Math.min(tokens, this.#limits.tokensPerMinute), kind, signal);
    try {
      return await request();
    } finally {
      this.#running--;
      this.#startNext();
    }
  }

  #turn(tokens: number, kind: EmbeddingKind, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted === true) return reject(signal.reason as Error);
      const leave = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
        reject(signal?.reason as Error);
        this.#startNext();
      };
      const start = (): void => {
        signal?.removeEventListener('abort', leave);
        resolve();
      };
      const waiting = { tokens, kind, start };
      signal?.addEventListener('abort', leave, { once: true });
      const later = this.#waiting.findIndex((other) => ORDER[other.kind] > ORDER[kind]);
      this.#waiting.splice(later < 0 ? this.#waiting.length : later, 0, waiting);
      this.#startNext();
    });
  }

  #startNext(): void {
    this.#timer?.();
    this.#timer = undefined;
    for (let next = this.#next(); next !== undefined && this.#running < this.#limits.concurrency; next = this.#next()) {
      const waitMs = this.#waitMs(next.tokens);
      if (waitMs > 0) {
        this.#timer = this.#system.scheduler.after(waitMs, () => this.#startNext(), { background: true });
        return;
      }
      this.#waiting.splice(this.#waiting.indexOf(next), 1);
      if (next.kind !== 'query')
        this.#overtaking = next.kind === 'passage' && this.#waiting.at(-1)?.kind === 'background' ? this.#overtaking + 1 : 0;
      this.#running++;
      if (this.#isTimed) this.#started.push({ at: this.#system.clock.elapsed(), tokens: next.tokens });
      next.start();
    }
  }

  #next(): Waiting | undefined {
    const [first] = this.#waiting;
    if (first?.kind !== 'passage' || this.#overtaking < MAX_OVERTAKING) return first;
    return this.#waiting.find(({ kind }) => kind === 'background') ?? first;
  }

  get #isTimed(): boolean {
    return this.#limits.requestsPerMinute < Infinity || this.#limits.tokensPerMinute < Infinity;
  }

  /** Milliseconds until a request with this many tokens may start. */
  #waitMs(tokens: number): number {
    const now = this.#system.clock.elapsed();
    this.#started = this.#started.filter(({ at }) => at > now - WINDOW_MS);
    let requests = this.#started.length + 1;
    let sum = this.#started.reduce((total, one) => total + one.tokens, tokens);
    for (const { at, tokens: freed } of this.#started) {
      if (this.#fits(requests, sum)) break;
      requests--;
      sum -= freed;
      if (this.#fits(requests, sum)) return Math.max(1, Math.ceil(at + WINDOW_MS - now));
    }
    return 0;
  }

  #fits(requests: number, tokens: number): boolean {
    return requests <= this.#limits.requestsPerMinute && tokens <= this.#limits.tokensPerMinute;
  }
}
