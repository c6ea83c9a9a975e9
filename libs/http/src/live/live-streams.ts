import { PassThrough, type Readable } from 'node:stream';
import { SYSTEM, type Scheduler } from '@palimpsest/foundation';
import { Overloaded } from '@palimpsest/knowledge/errors';
import type { Position, TenantId } from '@palimpsest/knowledge/values';
import { FellBehind } from './live-log.ts';

/** A message, or without `data` only the information that nothing up to `position` is missing. */
export type LiveMessage = Readonly<{ position: Position; data?: unknown }>;

export type LiveStream = Readonly<{
  tenant: TenantId;
  /** Event name of each message. */
  event: string;
  /** Sent immediately, so that a client that loses the connection knows where to continue. */
  after: Position;
  messages: (signal: AbortSignal) => AsyncIterable<LiveMessage>;
  /** Checked with each message and each heartbeat. */
  mayGoOn: () => boolean;
}>;

export type LiveStreamsOptions = Readonly<{
  /** Maximum concurrent streams per tenant in this process. */
  maxPerTenant: number;
  /** Called with the number of open streams of the tenant; throws if it may not open another one. */
  mayOpen?: (tenant: TenantId, open: number) => void;
  onError: (error: unknown) => void;
  /** Default 15,000: below the idle timeout of common proxies. */
  heartbeatMs?: number;
  /** How long a reader may read nothing; default 30,000. */
  stallMs?: number;
  scheduler?: Scheduler;
}>;

type EndReason = 'slow' | 'shutdown' | 'refused' | 'failed' | 'complete';

/** How long a reader that does not read may take to receive the last message, in milliseconds. */
const END_GRACE_MS = 2_000;
const RETRY_AFTER_SECONDS = 5;

/**
 * Server-sent events. The id of each message is a position from which a client can continue. A reader that stops reading or falls behind
 * gets a last message and is disconnected; nothing is buffered for it. All streams end on shutdown.
 */
export class LiveStreams {
  readonly #options: Required<LiveStreamsOptions>;
  readonly #open = new Map<TenantId, number>();
  readonly #ends = new Set<(reason: EndReason) => void>();
  readonly #running = new Set<Promise<void>>();
  #closed = false;

  constructor({
    heartbeatMs = 15_000,
    stallMs = 30_000,
    mayOpen = () => undefined,
    scheduler = SYSTEM.scheduler,
    ...options
  }: LiveStreamsOptions) {
    this.#options = { ...options, heartbeatMs, stallMs, mayOpen, scheduler };
  }

  /** @throws Overloaded, QuotaExceeded */
  open(stream: LiveStream): Readable {
    const open = this.#open.get(stream.tenant) ?? 0;
    const { maxPerTenant } = this.#options;
    if (this.#closed) throw new Overloaded('the server is shutting down', RETRY_AFTER_SECONDS);
    if (open >= maxPerTenant)
      throw new Overloaded(`this tenant has ${open} open live streams; the limit is ${maxPerTenant}`, RETRY_AFTER_SECONDS);
    this.#options.mayOpen(stream.tenant, open);
    this.#open.set(stream.tenant, open + 1);
    const body = new PassThrough();
    const running = this.#run(stream, body).finally(() => {
      this.#running.delete(running);
      const left = (this.#open.get(stream.tenant) ?? 1) - 1;
      if (left > 0) this.#open.set(stream.tenant, left);
      else this.#open.delete(stream.tenant);
    });
    this.#running.add(running);
    return body;
  }

  /** Number of open streams of a tenant. */
  count(tenant: TenantId): number {
    return this.#open.get(tenant) ?? 0;
  }

  /** Ends all streams with a last message, and refuses new ones. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const end of [...this.#ends]) end('shutdown');
    await Promise.all(this.#running);
  }

  async #run({ event, after, messages, mayGoOn }: LiveStream, body: PassThrough): Promise<void> {
    const stop = new AbortController();
    let reason: EndReason | undefined;
    let reached = after;
    const end = (why: EndReason): void => {
      reason ??= why;
      stop.abort();
    };
    body.once('close', () => stop.abort());
    // Readers may disconnect at any time; that is not an error.
    body.on('error', () => stop.abort());
    this.#ends.add(end);
    const cancelHeartbeat = this.#options.scheduler.every(this.#options.heartbeatMs, () => {
      if (!mayGoOn()) end('refused');
      else if (!body.writableNeedDrain) body.write(markOf(reached));
    });
    try {
      body.write(`retry: 1000\n${markOf(after)}`);
      for await (const { position, data } of messages(stop.signal)) {
        if (!mayGoOn()) end('refused');
        if (stop.signal.aborted) break;
        // Write the message before updating the position: a heartbeat in between must not confirm a message that was not sent.
        const taken = data === undefined || body.write(`event: ${event}\nid: ${position}\ndata: ${JSON.stringify(data)}\n\n`);
        reached = position;
        if (!taken && !(await this.#drained(body, stop.signal))) end('slow');
      }
      // The messages ended on their own: a reader that disconnects, or a shutdown, aborts the signal.
      if (!stop.signal.aborted) end('complete');
    } catch (error) {
      if (!(error instanceof FellBehind)) this.#options.onError(error);
      end(error instanceof FellBehind ? 'slow' : 'failed');
    } finally {
      cancelHeartbeat();
      this.#ends.delete(end);
      finish(body, reached, reason ?? 'shutdown', this.#options.scheduler);
    }
  }

  /** Whether the reader received the written data in time. */
  #drained(body: PassThrough, signal: AbortSignal): Promise<boolean> {
    return new Promise((resolve) => {
      const settle = (drained: boolean) => (): void => {
        cancel();
        body.off('drain', onDrain);
        signal.removeEventListener('abort', onAbort);
        resolve(drained);
      };
      const [onDrain, onAbort] = [settle(true), settle(true)];
      const cancel = this.#options.scheduler.after(this.#options.stallMs, settle(false));
      body.once('drain', onDrain);
      signal.addEventListener('abort', onAbort);
    });
  }
}

/** A comment for programs, and an id without data, which every client of server-sent events remembers. */
const markOf = (position: Position): string => `: at ${position}\nid: ${position}\n\n`;

const finish = (body: PassThrough, reached: Position, reason: EndReason, scheduler: Scheduler): void => {
  if (body.destroyed) return;
  body.end(`event: end\nid: ${reached}\ndata: ${JSON.stringify({ reason })}\n\n`);
  const cancel = scheduler.after(END_GRACE_MS, () => body.destroy(), { background: true });
  body.once('close', cancel);
};
