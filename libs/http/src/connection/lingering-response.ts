import { ServerResponse, type IncomingMessage, type OutgoingHttpHeader, type OutgoingHttpHeaders } from 'node:http';

import { SYSTEM } from '@palimpsest/foundation';

/** A body up to this size is read to its end, and the connection is kept. */
const SMALL_BYTES = 64 * 1024;
/** Of a larger body, at most this much is read, for at most this time, so that its sender starts to read the response. */
const DISCARDED_BYTES = 4 * 1024 * 1024;
const LINGER_MS = 3_000;

const announcedBytes = ({ headers }: IncomingMessage): number =>
  headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : Infinity;

/** Whether a part of the body may not have arrived yet. */
const hasRest = (request: IncomingMessage): boolean => !request.complete && announcedBytes(request) > 0;

/**
 * A response that may be sent before the body of its request was read completely. Closing a connection with unread bytes resets it,
 * and the client may lose the response; keeping it open with unread bytes blocks it. So the rest of the body is read and discarded,
 * up to limits of bytes and time. The connection is kept if the body was small, and closed otherwise.
 */
export class LingeringResponse<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
  override writeHead(status: number, message?: string, headers?: OutgoingHttpHeaders | OutgoingHttpHeader[]): this;
  override writeHead(status: number, headers?: OutgoingHttpHeaders | OutgoingHttpHeader[]): this;
  override writeHead(status: number, ...more: unknown[]): this {
    if (hasRest(this.req) && announcedBytes(this.req) > SMALL_BYTES) this.setHeader('connection', 'close');
    return super.writeHead(status, ...(more as [OutgoingHttpHeaders]));
  }

  override end(...last: [chunk?: unknown, encoding?: BufferEncoding | (() => void), then?: () => void]): this {
    const end = (...parts: unknown[]): this => super.end(...(parts as [unknown, BufferEncoding, () => void]));
    if (!hasRest(this.req) || this.destroyed) return end(...last);
    const then = last.find((part): part is () => void => typeof part === 'function');
    const [chunk] = last;
    const closes = announcedBytes(this.req) > SMALL_BYTES;
    if (!closes) {
      end(...last);
      this.#discard(LINGER_MS, (isWhole) => isWhole || this.req.socket.destroy());
      return this;
    }
    // The response is sent now; the connection is closed when it ends.
    if (typeof chunk === 'string' || chunk instanceof Uint8Array) {
      if (!this.headersSent) this.setHeader('content-length', Buffer.byteLength(chunk));
      this.write(chunk);
    } else this.flushHeaders();
    this.#discard(LINGER_MS, () => end(then));
    return this;
  }

  /** Detaches previous readers of the body and discards the rest. */
  #discard(ms: number, then: (isWhole: boolean) => void): void {
    const request = this.req;
    let finished = false;
    let bytes = 0;
    const finish = (): void => {
      if (finished) return;
      finished = true;
      cancel();
      then(request.complete);
    };
    const cancel = SYSTEM.scheduler.after(ms, finish);
    request.unpipe();
    for (const event of ['data', 'readable']) request.removeAllListeners(event);
    request.on('data', (part: Buffer) => {
      bytes += part.length;
      // From here on, the sender is blocked and reads the response.
      if (bytes > DISCARDED_BYTES) request.pause();
    });
    for (const event of ['end', 'close', 'error']) request.once(event, finish);
    request.resume();
    if (request.complete && request.readableEnded) finish();
  }
}
