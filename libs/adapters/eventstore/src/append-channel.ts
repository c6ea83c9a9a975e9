import { randomUUID } from 'node:crypto';
import { ServerAway } from '@palimpsest/knowledge/errors';
import { appendMessages, type AppendRequest } from './append-request.ts';
import { appendAnswer, type AppendAnswer } from './append-answer.ts';
import type { Call, Connection } from './connection.ts';
import { NotWritten } from './not-written.ts';
import type { BatchAppendResp, BatchCall } from './protocol.ts';
import { Timeout } from './timeout.ts';

/** How long the server may hold an append. Long, since its clock may differ from ours; the caller has its own deadline. */
const SERVER_MS = 60_000;

type Waiting = Readonly<{ resolve: (answer: AppendAnswer) => void; reject: (error: unknown) => void }>;

/** One BatchAppend call, and the appends that wait for answers on it. `cancelled` by this side: its end says nothing about the node. */
type Channel = { readonly opening: Promise<Call<BatchCall>>; readonly waiting: Map<string, Waiting>; ended: boolean; cancelled: boolean };

/**
 * Sends appends over one shared BatchAppend call, and opens a new one when it ends. Solves traps 2 and 3 of the client: pending
 * appends belong to their call only, each has its own deadline, and an answer for which no append waits any more is ignored.
 */
export class AppendChannel {
  readonly #connection: Connection;
  #channel: Channel | undefined;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /**
   * One attempt. Rejects with the error that ended the call, or with Timeout; then the events may or may not have been written.
   * `leftMs`: until the caller's deadline, if that comes before `timeoutMs`.
   * @throws KnowledgeError when the server refused
   */
  async send(request: AppendRequest, timeoutMs: number, leftMs = Infinity): Promise<AppendAnswer> {
    this.#channel ??= this.#open();
    const channel = this.#channel;
    const id = randomUUID();
    const { promise, resolve, reject } = Promise.withResolvers<AppendAnswer>();
    const ms = Math.max(1, Math.min(timeoutMs, leftMs));
    const timer = setTimeout(() => reject(new Timeout(ms, ms < timeoutMs)), ms);
    let stopWaiting: (() => void) | undefined;
    channel.waiting.set(id, { resolve, reject });
    channel.opening
      .then(({ call, waiting }) => {
        // An append that failed in the meantime is not sent.
        if (channel.ended || !channel.waiting.has(id)) return;
        stopWaiting = waiting();
        write(call, request, id);
      })
      .catch(reject);
    try {
      return await promise;
    } catch (error) {
      // An append that was not sent says nothing about the node.
      if (stopWaiting !== undefined) this.#failed(channel, error);
      throw error;
    } finally {
      stopWaiting?.();
      clearTimeout(timer);
      channel.waiting.delete(id);
      if (this.#channel !== channel && channel.waiting.size === 0) void cancel(channel);
    }
  }

  /** An error that ended the call itself is reported where the call ended. */
  #failed(channel: Channel, error: unknown): void {
    if (channel.ended || !(error instanceof Timeout || error instanceof NotWritten)) return;
    // The next append does not use a call that timed out.
    if (error instanceof Timeout && this.#channel === channel) this.#channel = undefined;
    void channel.opening.then(({ failed }) => failed(error));
  }

  #open(): Channel {
    const waiting: Channel['waiting'] = new Map();
    const opening = this.#connection.batchAppend();
    const channel: Channel = { opening, waiting, ended: false, cancelled: false };
    const end = (error: unknown): void => {
      channel.ended = true;
      if (this.#channel === channel) this.#channel = undefined;
      for (const { reject } of waiting.values()) reject(error);
    };
    opening.then(({ call, arrived, failed }) => {
      call.on('data', (message: BatchAppendResp) => (arrived(), answer(waiting, message)));
      let fault: unknown;
      call.on('error', (error) => {
        fault = error;
        void (channel.cancelled ? Promise.resolve() : failed(error)).finally(() => end(error));
      });
      // Also follows an error, before the error has been handled: its status must not be lost.
      call.on('end', () => fault ?? end(new ServerAway('EventStoreDB ended the call for appends')));
    }, end);
    return channel;
  }

  /** Closes the call. Pending appends fail. */
  async close(): Promise<void> {
    const channel = this.#channel;
    this.#channel = undefined;
    if (channel !== undefined) await cancel(channel);
  }
}

const cancel = async (channel: Channel): Promise<void> => {
  channel.cancelled = true;
  await channel.opening.then(
    ({ call }) => call.cancel(),
    () => undefined,
  );
};

const write = (call: BatchCall, request: AppendRequest, id: string): void => {
  for (const message of appendMessages(request, id, Date.now() + SERVER_MS)) call.write(message);
};

const answer = (waiting: Channel['waiting'], message: BatchAppendResp): void => {
  const one = waiting.get(message.getCorrelationId()?.getString() ?? '');
  if (one === undefined) return;
  try {
    one.resolve(appendAnswer(message));
  } catch (error) {
    one.reject(error);
  }
};
