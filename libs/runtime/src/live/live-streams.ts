import { PassThrough, type Readable } from 'node:stream';
import { Overloaded, type Position, type TenantId } from '@palimpsest/knowledge';
import { FellBehind } from './live-log.ts';

/** Something to tell, or without `data` only that nothing up to `position` is missing. */
export type LiveMessage = Readonly<{ position: Position; data?: unknown }>;

export type LiveStream = Readonly<{
  tenant: TenantId;
  /** The name that each message carries. */
  event: string;
  /** Told at once, so that whoever loses the connection knows where to go on. */
  after: Position;
  messages: (signal: AbortSignal) => AsyncIterable<LiveMessage>;
  /** Looked at with each message and each heartbeat. */
  mayGoOn: () => boolean;
}>;

export type LiveStreamsOptions = Readonly<{
  /** Streams of one tenant at the same time, in this process. */
  mostPerTenant: number;
  /** Told how many the tenant has open; throws when it may have no more. */
  mayOpen?: (tenant: TenantId, open: number) => void;
  onError: (error: unknown) => void;
  /** Default 15,000: below what proxies take for the end of a connection. */
  heartbeatMs?: number;
  /** How long a reader may take nothing at all, default 30,000. */
  stallMs?: number;
}>;

type EndReason = 'slow' | 'shutdown' | 'refused' | 'failed';

/** What a reader that does not read has left to take the last message, in milliseconds. */
const LAST_MS = 2_000;
const RETRY_AFTER_SECONDS = 5;

/**
 * Server-sent events. The id of each message is a position, to go on after. A reader that takes nothing any more, or falls
 * behind, is told so by a last message and let go; nothing is kept for it. All streams end when the process does.
 */
export class LiveStreams {
  readonly #options: Required<LiveStreamsOptions>;
  readonly #open = new Map<TenantId, number>();
  readonly #ends = new Set<(reason: EndReason) => void>();
  readonly #running = new Set<Promise<void>>();
  #closed = false;

  constructor({ heartbeatMs = 15_000, stallMs = 30_000, mayOpen = () => undefined, ...options }: LiveStreamsOptions) {
    this.#options = { ...options, heartbeatMs, stallMs, mayOpen };
  }

  /** @throws Overloaded, QuotaExceeded */
  open(stream: LiveStream): Readable {
    const open = this.#open.get(stream.tenant) ?? 0;
    const { mostPerTenant } = this.#options;
    if (this.#closed) throw new Overloaded('the process is ending', RETRY_AFTER_SECONDS);
    if (open >= mostPerTenant) throw new Overloaded(`${open} live streams of this tenant are open, at most ${mostPerTenant} may be`, RETRY_AFTER_SECONDS);
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

  /** Of one tenant, now. */
  count(tenant: TenantId): number {
    return this.#open.get(tenant) ?? 0;
  }

  /** Ends all of them, with a last message each; no more are opened. */
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
    // Whoever reads may go at any time; that is no fault.
    body.on('error', () => stop.abort());
    this.#ends.add(end);
    const heartbeat = setInterval(() => {
      if (!mayGoOn()) end('refused');
      else if (!body.writableNeedDrain) body.write(markOf(reached));
    }, this.#options.heartbeatMs);
    try {
      body.write(`retry: 1000\n${markOf(after)}`);
      for await (const { position, data } of messages(stop.signal)) {
        if (!mayGoOn()) end('refused');
        if (stop.signal.aborted) break;
        // First the message, then the place: a heartbeat in between must not say that it was told.
        const taken = data === undefined || body.write(`event: ${event}\nid: ${position}\ndata: ${JSON.stringify(data)}\n\n`);
        reached = position;
        if (!taken && !(await this.#drained(body, stop.signal))) end('slow');
      }
    } catch (error) {
      if (!(error instanceof FellBehind)) this.#options.onError(error);
      end(error instanceof FellBehind ? 'slow' : 'failed');
    } finally {
      clearInterval(heartbeat);
      this.#ends.delete(end);
      finish(body, reached, reason ?? 'shutdown');
    }
  }

  /** Whether the reader took what was written, in time. */
  #drained(body: PassThrough, signal: AbortSignal): Promise<boolean> {
    return new Promise((resolve) => {
      const settle = (drained: boolean) => (): void => {
        clearTimeout(timer);
        body.off('drain', onDrain);
        signal.removeEventListener('abort', onAbort);
        resolve(drained);
      };
      const [onDrain, onAbort] = [settle(true), settle(true)];
      const timer = setTimeout(settle(false), this.#options.stallMs);
      body.once('drain', onDrain);
      signal.addEventListener('abort', onAbort);
    });
  }
}

/** A comment for programs that read it, and an id without data, which every reader of server-sent events remembers. */
const markOf = (position: Position): string => `: at ${position}\nid: ${position}\n\n`;

const finish = (body: PassThrough, reached: Position, reason: EndReason): void => {
  if (body.destroyed) return;
  body.end(`event: end\nid: ${reached}\ndata: ${JSON.stringify({ reason })}\n\n`);
  const timer = setTimeout(() => body.destroy(), LAST_MS).unref();
  body.once('close', () => clearTimeout(timer));
};
