import { PermanentFailure, RetryLater, type Delivery, type Handler } from '@palimpsest/knowledge/ports';
import type { Held, LeasedBatch, QueuedMessage, Settlement } from './bus-operations.ts';
import type { BusClock } from './bus-clock.ts';
import type { BusThread } from './bus-thread.ts';
import { afterFailure, type ConsumeSettings, type Outcome } from '@palimpsest/contracts';

/** The delay before a failed settlement is retried, in milliseconds. It may fail because the disk is full, for example. */
const SETTLE_RETRY_MS = 1_000;

export type CallContext = Readonly<{
  thread: Pick<BusThread, 'call' | 'isGone'>;
  clock: BusClock;
  random: () => number;
  topic: string;
  group: number;
  settings: ConsumeSettings;
  handler: Handler;
}>;

/** One call of the handler: renews the lease while it runs, and settles the outcome. */
export class HandlerCall {
  private readonly context: CallContext;
  private readonly batch: LeasedBatch;
  private readonly abortController = new AbortController();
  private stopping = false;
  private abandoned = false;
  private cancelRenewal: () => void = () => undefined;

  constructor(context: CallContext, batch: LeasedBatch) {
    this.context = context;
    this.batch = batch;
  }

  /** Resolves with the settlements; never rejects. */
  async run(): Promise<readonly Settlement[]> {
    this.renewLater();
    try {
      await this.context.handler(this.batch.messages.map((message) => this.delivery(message)));
      return this.settlements(() => ({ outcome: 'done' }));
    } catch (error) {
      return this.settlements((message) => this.failed(error, message));
    }
  }

  /** Returns how many messages became ready; 0 also when the bus was closed or this call was abandoned meanwhile. */
  async settle(settlements: readonly Settlement[]): Promise<number> {
    const { thread, clock, group } = this.context;
    try {
      while (!this.abandoned) {
        const args = { group, lease: this.batch.lease, settlements, now: clock.now() };
        const ready = await thread.call('settle', args).catch(() => undefined);
        if (ready !== undefined) return ready;
        if (thread.isGone) return 0;
        await new Promise<void>((resolve) => clock.after(SETTLE_RETRY_MS, resolve));
      }
      return 0;
    } finally {
      this.cancelRenewal();
    }
  }

  /** Signals the handler that its consumer stops. A failure after that does not count as an attempt. */
  abort(): void {
    this.stopping = true;
    this.abortController.abort(new Error('the consumer stops'));
  }

  /**
   * Returns the messages to the queue although the handler has not finished; its result is ignored. If that cannot be written, their
   * lease expires.
   */
  async abandon(): Promise<void> {
    this.abandoned = true;
    this.cancelRenewal();
    const { thread, clock, group } = this.context;
    const settlements = this.settlements(() => ({ outcome: 'return' }));
    await thread.call('settle', { group, lease: this.batch.lease, settlements, now: clock.now() }).catch(() => undefined);
  }

  private failed(error: unknown, message: QueuedMessage): Outcome {
    const deliberate = error instanceof PermanentFailure || error instanceof RetryLater;
    if (this.stopping && !deliberate) return { outcome: 'return' };
    const { clock, random, settings } = this.context;
    return afterFailure(error, message.failures + 1, settings, { now: clock.now(), random });
  }

  private settlements(outcome: (message: QueuedMessage) => Outcome): readonly Settlement[] {
    return this.batch.messages.map((message) => ({ key: message.key, seq: message.seq, ...outcome(message) }));
  }

  private delivery({ id, key, headers, body, failures, lost, publishedAt }: QueuedMessage): Delivery {
    const { topic } = this.context;
    const attempt = failures + lost + 1;
    return {
      id,
      key,
      headers,
      body,
      topic,
      attempt,
      publishedAt: new Date(publishedAt).toISOString(),
      signal: this.abortController.signal,
    };
  }

  private renewLater(): void {
    const { thread, clock, group, settings } = this.context;
    this.cancelRenewal = clock.after(settings.leaseMs / 3, () => {
      this.renewLater();
      const held: readonly Held[] = this.batch.messages.map(({ key, seq }) => ({ key, seq }));
      const renewal = thread.call('renew', { group, lease: this.batch.lease, held, until: clock.now() + settings.leaseMs });
      renewal.then(
        (stillHeld) => stillHeld || this.abortController.abort(new Error('the lease was lost')),
        // the renewal could not be written: two thirds of the lease are left for another attempt
        () => undefined,
      );
    });
  }
}
