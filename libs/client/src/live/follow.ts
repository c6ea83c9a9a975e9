import type { CallOptions } from '../call-options.ts';
import { ConnectionError, ProblemError } from '../errors.ts';
import { isWorthRetrying, pause, retryDelay, type RetryPolicy } from '../retry.ts';
import type { StreamEnd } from '../views/live.ts';
import { readStream, type StreamMessage } from './read-stream.ts';

/** Told before each wait for a new connection: why the last one ended. */
export type ReconnectNotice = Readonly<{ reason: StreamEnd['reason'] | 'disconnected'; attempt: number; delayMs: number }>;

export type FollowOptions = CallOptions &
  Readonly<{
    /** Goes on after this position, default now. */
    after?: string | undefined;
    /** Told what everything up to has arrived, also while nothing does: where to go on another time. */
    onPosition?: ((position: string) => void) | undefined;
    onReconnect?: ((notice: ReconnectNotice) => void) | undefined;
  }>;

export type OpenStream = (lastEventId: string | undefined) => Promise<Response>;

/**
 * What a stream tells, for as long as the signal does not abort: when the connection ends, a new one goes on after the last
 * message, so that nothing is missed and nothing comes twice. It waits with full jitter in between, longer each time in vain.
 * @throws ProblemError when the server refuses; ConnectionError when it was not there in the first place
 */
export async function* follow<Told>(open: OpenStream, { after, signal, onPosition, onReconnect }: FollowOptions, policy: RetryPolicy): AsyncGenerator<Told> {
  let last = after;
  let connected = false;
  const see = (position: string | undefined): void => {
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
        if (ended) reason = ended;
        else if (!('at' in message)) yield JSON.parse(message.data) as Told;
        see('at' in message ? message.at : message.id);
      }
    } catch (error) {
      if (signal?.aborted) return;
      if (!isPassing(error, connected)) throw error;
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

/** A refusal for load passes; a server that was never there does not; a connection that broke may be made again. */
const isPassing = (error: unknown, connected: boolean): boolean => {
  if (error instanceof ProblemError) return isWorthRetrying(error.status);
  if (error instanceof ConnectionError) return connected;
  return connected && error instanceof TypeError;
};
