import type { Consumer } from '@palimpsest/knowledge/ports';
import type { AnswerOf, LeasedBatch } from './bus-operations.ts';
import { HandlerCall, type CallContext } from './handler-call.ts';

const DEFAULT_GRACE_MS = 10_000;
/** How long a handler may take to react to its abort signal before its messages return to the queue, in milliseconds. */
const ABORT_GRACE_MS = 1_000;
/** The delay before a failed claim is retried, in milliseconds. */
const CLAIM_RETRY_MS = 1_000;

/** A member of a group. It claims work only when it is woken or when a retry is due; it never polls. */
export class SqliteConsumer implements Consumer {
  private readonly context: CallContext;
  /** Wakes all members of this group. */
  private readonly wakeGroup: () => void;
  /** Handlers in progress. */
  private readonly handling = new Set<HandlerCall>();
  /** Handlers in progress, and settlements that are being written. */
  private readonly calls = new Map<HandlerCall, Promise<void>>();
  private state: 'running' | 'paused' | 'stopped' = 'running';
  private claiming: Promise<void> | undefined;
  private woken = false;
  private cancelTimer: () => void = () => undefined;

  constructor(context: CallContext, wakeGroup: () => void) {
    this.context = context;
    this.wakeGroup = wakeGroup;
  }

  wake(): void {
    this.woken = true;
    this.claiming ??= this.claimWhileThereIsWork().finally(() => {
      this.claiming = undefined;
      // woken after the last claim, before this line
      if (this.woken && this.takesMore()) this.wake();
    });
  }

  pause(): void {
    if (this.state === 'running') this.state = 'paused';
  }

  resume(): void {
    if (this.state !== 'paused') return;
    this.state = 'running';
    this.wake();
  }

  async stop(graceMs = DEFAULT_GRACE_MS): Promise<void> {
    this.state = 'stopped';
    this.cancelTimer();
    await this.claiming;
    if (!(await this.finishWithin(graceMs))) {
      for (const call of this.calls.keys()) call.abort();
      if (!(await this.finishWithin(ABORT_GRACE_MS))) await Promise.all([...this.calls.keys()].map((call) => call.abandon()));
    }
    this.wakeGroup();
  }

  private takesMore(): boolean {
    return this.state === 'running' && this.handling.size < this.context.settings.concurrency;
  }

  private async claimWhileThereIsWork(): Promise<void> {
    while (this.woken && this.takesMore()) {
      this.woken = false;
      this.cancelTimer();
      try {
        const { batches, nextAt } = await this.claim();
        if (batches.length > 0) this.woken = true;
        else if (nextAt !== undefined) this.wakeAfter(nextAt - this.context.clock.now());
        for (const batch of batches) this.start(batch);
      } catch {
        if (this.context.thread.isGone) return;
        this.wakeAfter(CLAIM_RETRY_MS);
      }
    }
  }

  private claim(): Promise<AnswerOf<'claim'>> {
    const { thread, clock, group, settings } = this.context;
    const now = clock.now();
    const batches = settings.concurrency - this.handling.size;
    return thread.call('claim', { group, batches, batchSize: settings.batchSize, leaseUntil: now + settings.leaseMs, now });
  }

  private start(batch: LeasedBatch): void {
    const call = new HandlerCall(this.context, batch);
    // paused or stopped while the claim was in progress: no handler has seen these messages yet
    const done = this.state === 'running' ? this.handle(call) : call.abandon().then(() => this.wakeGroup());
    this.calls.set(
      call,
      done.finally(() => this.calls.delete(call)),
    );
  }

  private async handle(call: HandlerCall): Promise<void> {
    this.handling.add(call);
    const settlements = await call.run();
    this.handling.delete(call);
    const settled = call.settle(settlements);
    // claim right after the settlement, so that both share one transaction
    this.wake();
    if ((await settled) > 0) this.wakeGroup();
  }

  private wakeAfter(ms: number): void {
    if (this.state !== 'running') return;
    this.cancelTimer = this.context.clock.after(ms, () => this.wake());
  }

  /** Returns whether all calls in progress finished within this time. */
  private async finishWithin(ms: number): Promise<boolean> {
    if (this.calls.size === 0) return true;
    if (ms <= 0) return false;
    const finished = Promise.all(this.calls.values()).then(() => true);
    let cancel: () => void = () => undefined;
    const late = new Promise<boolean>((resolve) => {
      cancel = this.context.clock.after(ms, () => resolve(false));
    });
    return Promise.race([finished, late]).finally(() => cancel());
  }
}
