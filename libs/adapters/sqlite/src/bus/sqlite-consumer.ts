import type { Consumer } from '@palimpsest/knowledge';
import type { AnswerOf, LeasedBatch } from './bus-operations.ts';
import { HandlerCall, type CallContext } from './handler-call.ts';

const DEFAULT_GRACE_MS = 10_000;
/** How long, in milliseconds, a handler may take to heed its signal before its messages are given to others. */
const HEED_SIGNAL_MS = 1_000;
/** When looking for work failed, it is tried again after this time. */
const CLAIM_AGAIN_MS = 1_000;

/** A member of a group: looks for work when it is woken, or when a retry is due, and never otherwise. */
export class SqliteConsumer implements Consumer {
  private readonly context: CallContext;
  /** Wakes all members of this group. */
  private readonly wakeGroup: () => void;
  /** Handlers under way. */
  private readonly handling = new Set<HandlerCall>();
  /** Handlers under way, and settlements on their way to disk. */
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
      // woken after the last look, before this line
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
      if (!(await this.finishWithin(HEED_SIGNAL_MS))) await Promise.all([...this.calls.keys()].map((call) => call.giveUp()));
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
        this.wakeAfter(CLAIM_AGAIN_MS);
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
    // paused or stopped while the claim was under way: nobody has seen these messages yet
    const done = this.state === 'running' ? this.handle(call) : call.giveUp().then(() => this.wakeGroup());
    this.calls.set(call, done.finally(() => this.calls.delete(call)));
  }

  private async handle(call: HandlerCall): Promise<void> {
    this.handling.add(call);
    const settlements = await call.run();
    this.handling.delete(call);
    const settled = call.settle(settlements);
    // looks for the next work right behind the settlement, so that both go into one transaction
    this.wake();
    if ((await settled) > 0) this.wakeGroup();
  }

  private wakeAfter(ms: number): void {
    if (this.state !== 'running') return;
    this.cancelTimer = this.context.clock.after(ms, () => this.wake());
  }

  /** Answers whether all calls under way finished in this time. */
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
