import { randomUUID } from 'node:crypto';
import { Unavailable } from '@palimpsest/knowledge';
import { appendMessages, type AppendRequest } from './append-request.ts';
import { appendAnswer, type AppendAnswer } from './append-answer.ts';
import type { Call, Connection } from './connection.ts';
import { NotWritten } from './not-written.ts';
import type { BatchAppendResp, BatchCall } from './protocol.ts';
import { Timeout } from './timeout.ts';

/** How long the server may hold an append: long, since its clock may differ from ours; our own deadline is the caller's. */
const SERVER_MS = 60_000;

type Waiting = Readonly<{ resolve: (answer: AppendAnswer) => void; reject: (error: unknown) => void }>;

/** One BatchAppend call, and who waits for answers on it. */
type Channel = { readonly opening: Promise<Call<BatchCall>>; readonly waiting: Map<string, Waiting>; ended: boolean };

/**
 * Sends appends over one BatchAppend call, which many share; made again when it ended. What the client's own lacks (traps 2 and
 * 3): those who wait on a call are known to that call alone, each has its deadline, and an answer that nobody waits for any
 * more is passed over.
 */
export class AppendChannel {
  readonly #connection: Connection;
  #channel: Channel | undefined;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /**
   * One attempt. Rejects with what the call ended in, or Timeout: then the events may be there or not.
   * @throws KnowledgeError when the server refused
   */
  async send(request: AppendRequest, timeoutMs: number): Promise<AppendAnswer> {
    this.#channel ??= this.#open();
    const channel = this.#channel;
    const id = randomUUID();
    const { promise, resolve, reject } = Promise.withResolvers<AppendAnswer>();
    const timer = setTimeout(() => reject(new Timeout(timeoutMs)), timeoutMs);
    let stopWaiting: (() => void) | undefined;
    channel.waiting.set(id, { resolve, reject });
    channel.opening
      .then(({ call, waiting }) => {
        // An append that was given up meanwhile is not sent.
        if (channel.ended || !channel.waiting.has(id)) return;
        stopWaiting = waiting();
        write(call, request, id);
      })
      .catch(reject);
    try {
      return await promise;
    } catch (error) {
      // An append that was not sent says nothing of the node.
      if (stopWaiting !== undefined) this.#failed(channel, error);
      throw error;
    } finally {
      stopWaiting?.();
      clearTimeout(timer);
      channel.waiting.delete(id);
      if (this.#channel !== channel && channel.waiting.size === 0) void channel.opening.then(({ call }) => call.cancel()).catch(() => undefined);
    }
  }

  /** What ended the call itself is reported where it ended. */
  #failed(channel: Channel, error: unknown): void {
    if (channel.ended || !(error instanceof Timeout || error instanceof NotWritten)) return;
    // A call that answers nothing in time is not waited for by the next append.
    if (error instanceof Timeout && this.#channel === channel) this.#channel = undefined;
    void channel.opening.then(({ failed }) => failed(error));
  }

  #open(): Channel {
    const waiting: Channel['waiting'] = new Map();
    const opening = this.#connection.batchAppend();
    const channel: Channel = { opening, waiting, ended: false };
    const end = (error: unknown): void => {
      channel.ended = true;
      if (this.#channel === channel) this.#channel = undefined;
      for (const { reject } of waiting.values()) reject(error);
    };
    opening.then(({ call, arrived, failed }) => {
      call.on('data', (message: BatchAppendResp) => (arrived(), answer(waiting, message)));
      call.on('error', (error) => void failed(error).finally(() => end(error)));
      call.on('end', () => end(new Unavailable('EventStoreDB ended the call for appends')));
    }, end);
    return channel;
  }

  /** Lets go of the call; those who still wait get an error. */
  async close(): Promise<void> {
    const channel = this.#channel;
    this.#channel = undefined;
    await channel?.opening.then(
      ({ call }) => call.cancel(),
      () => undefined,
    );
  }
}

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
