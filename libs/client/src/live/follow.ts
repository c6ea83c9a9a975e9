import type { CallOptions } from '../call-options.ts';
import { ConnectionError, ProblemError } from '../errors.ts';
import { isWorthRetrying, pause, retryDelay, type RetryPolicy } from '../retry.ts';
import type { StreamEnd } from '@palimpsest/contracts/http';
import { readStream, type StreamMessage } from './read-stream.ts';

/** Reported before each wait for a new connection: why the last connection ended. */
export type ReconnectNotice = Readonly<{ reason: StreamEnd['reason'] | 'disconnected'; attempt: number; delayMs: number }>;

export type FollowOptions = CallOptions &
  Readonly<{
    /** Start after this position. Default: the end of the log. */
    after?: string | undefined;
    /** Receives the position up to which everything has arrived, also on an idle stream. A later call can continue from it. */
    onPosition?: ((position: string) => void) | undefined;
    onReconnect?: ((notice: ReconnectNotice) => void) | undefined;
  }>;

export type OpenStream = (lastEventId: string | undefined) => Promise<Response>;

/**
 * The messages of a stream, until the signal aborts or the server says that it is complete. When the connection ends, a new one continues after the last message,
 * so that no message is missed or repeated. The wait before it has full jitter and grows with each failed attempt.
 * @throws ProblemError when the server refuses; ConnectionError when the first connection fails
 */
export async function* follow<Message>(
  open: OpenStream,
  { after, signal, onPosition, onReconnect }: FollowOptions,
  policy: RetryPolicy,
): AsyncGenerator<Message> {
  let last = after;
  let connected = false;
  const advance = (position: string | undefined): void => {
    if (position === undefined) return;
    last = position;
    onPosition?.(position);
  };
  for (let attempt = 0; !signal?.aborted; attempt++) {
    let reason: ReconnectNotice['reason'] = 'disconnected';
    let wait: number | undefined;
    try {
      const response = await open(last);
      connected = true;
      for await (const message of readStream(bodyOf(response))) {
        attempt = 0;
        const ended = endOf(message);
        if (ended === 'complete') return;
        if (ended) reason = ended;
        else if (!('at' in message)) yield JSON.parse(message.data) as Message;
        advance('at' in message ? message.at : message.id);
      }
    } catch (error) {
      if (signal?.aborted) return;
      if (!isTemporary(error, connected)) throw error;
      wait = error instanceof ProblemError ? error.retryAfterSeconds : undefined;
    }
    const delayMs = retryDelay(attempt, wait, policy);
    onReconnect?.({ reason, attempt, delayMs });
    await pause(delayMs, signal).catch(() => undefined);
  }
}

const bodyOf = ({ body }: Response): ReadableStream<Uint8Array> => {
  if (body === null) throw new TypeError('the answer has no body');
  return body;
};

const endOf = (message: StreamMessage): StreamEnd['reason'] | undefined =>
  'event' in message && message.event === 'end' ? (JSON.parse(message.data) as StreamEnd).reason : undefined;

/**
 * A refusal under load is temporary, and so is the loss of an established connection. A server that was never reached is a permanent error.
 */
const isTemporary = (error: unknown, connected: boolean): boolean => {
  if (error instanceof ProblemError) return isWorthRetrying(error.status);
  if (error instanceof ConnectionError) return connected;
  return connected && error instanceof TypeError;
};
