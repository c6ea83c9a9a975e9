import { ServerResponse, type IncomingMessage, type OutgoingHttpHeader, type OutgoingHttpHeaders } from 'node:http';

/** So much of a body is read to its end, and its connection kept. */
const SMALL_BYTES = 64 * 1024;
/** So much of a larger one is read, for as long at most, so that its sender comes to reading the answer. */
const DISCARDED_BYTES = 4 * 1024 * 1024;
const LINGER_MS = 3_000;

const announcedBytes = ({ headers }: IncomingMessage): number => (headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : Infinity);

/** Whether some of the body may still be on its way. */
const hasRest = (request: IncomingMessage): boolean => !request.complete && announcedBytes(request) > 0;

/**
 * An answer that may come before all of its request's body was read. A connection closed with bytes unread is reset, and a reset
 * takes the answer away from a client that has not read it yet; a connection left open with bytes unread is stuck. So what is left is read
 * and thrown away, within bounds of bytes and time; the connection is kept where all of it was small, else it is closed.
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
    // The answer leaves now; with its end the connection is closed.
    if (typeof chunk === 'string' || chunk instanceof Uint8Array) {
      if (!this.headersSent) this.setHeader('content-length', Buffer.byteLength(chunk));
      this.write(chunk);
    } else this.flushHeaders();
    this.#discard(LINGER_MS, () => end(then));
    return this;
  }

  /** What read the body before reads no more of it. */
  #discard(ms: number, then: (isWhole: boolean) => void): void {
    const request = this.req;
    let over = false;
    let bytes = 0;
    const finish = (): void => {
      if (over) return;
      over = true;
      clearTimeout(timer);
      then(request.complete);
    };
    const timer = setTimeout(finish, ms);
    request.unpipe();
    for (const event of ['data', 'readable']) request.removeAllListeners(event);
    request.on('data', (part: Buffer) => {
      bytes += part.length;
      // From here on the sender waits, and has the answer to read.
      if (bytes > DISCARDED_BYTES) request.pause();
    });
    for (const event of ['end', 'close', 'error']) request.once(event, finish);
    request.resume();
    if (request.complete && request.readableEnded) finish();
  }
}
