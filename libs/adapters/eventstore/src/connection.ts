import { EventStoreDBClient } from '@eventstore/db-client';
import type { BaseOptions } from '@eventstore/db-client';
import grpcStreams from '@eventstore/db-client/generated/streams_grpc_pb.js';
import type { StreamsClient } from '@eventstore/db-client/generated/streams_grpc_pb.js';
import { Unavailable } from '@palimpsest/knowledge/errors';
import type { BatchCall, ReadCall, ReadReq } from './protocol.ts';
import { clientConnectionString } from './connection-string.ts';
import { NotWritten } from './not-written.ts';
import { isNotLeader, isOfTheNode } from './server-faults.ts';
import { SilenceWatch } from './silence-watch.ts';
import { Timeout } from './timeout.ts';

/**
 * What the client uses for its own calls (protected or private there; pinned to 6.2.1): the connection with its discovery,
 * TLS and credentials. This adapter makes the calls itself, since those of the client have no filters on reads and no deadlines,
 * and all clients of the process share their pending calls (traps 2, 3, 6 and 7 in the README).
 */
type ClientInternals = {
  execute<T>(client: typeof StreamsClient, name: string, action: (stub: StreamsClient) => Promise<T>): Promise<T>;
  callArguments(options: BaseOptions, callOptions: { deadline: number }): Parameters<StreamsClient['batchAppend']>;
  handleError(stub: StreamsClient, error: Error): Promise<void>;
  getChannel(): Promise<{ close(): void }>;
};

/** `gone` ends the calls in progress. `node`: the `host:port` at the other end, once it is known. */
type Opened = {
  readonly client: EventStoreDBClient;
  readonly internals: ClientInternals;
  readonly openedAt: number;
  readonly silence: SilenceWatch;
  readonly gone: AbortController;
  node: string | undefined;
  used: boolean;
};

/** How long a node may refuse appends before the adapter looks for the leader again. */
const REFUSAL_LIMIT_MS = 500;
/** A node that sends nothing for this long while a call waits is abandoned: it may be frozen, and another one may be the leader. */
const SILENCE_MS = 1000;
/** After this many silent connections in a row the limit rises: a server that is merely slow must be able to answer. */
const MANY_SILENT = 20;
const LONG_SILENCE_MS = 5000;

/** One connection to the server or cluster. Reconnects after a failure. */
export class Connection {
  readonly #connectionString: string;
  #opened: Opened;
  #generation = 0;
  #silentInARow = 0;
  readonly #closing = new AbortController();

  /** @throws InvalidValue; Error of the client if it cannot parse the string */
  constructor(connectionString: string) {
    this.#connectionString = connectionString;
    this.#opened = this.#open();
  }

  /** How often a connection was abandoned and replaced. */
  get reconnects(): number {
    return this.#generation;
  }

  /** Aborts when the connection is closed: no call should be retried. */
  get closed(): AbortSignal {
    return this.#closing.signal;
  }

  read(request: ReadReq): Promise<Call<ReadCall>> {
    return this.#call((stub, ...args) => stub.read(request, ...args));
  }

  batchAppend(): Promise<Call<BatchCall>> {
    return this.#call((stub, ...args) => stub.batchAppend(...args));
  }

  async #call<T extends ReadCall | BatchCall>(
    start: (stub: StreamsClient, ...args: Parameters<StreamsClient['batchAppend']>) => T,
  ): Promise<Call<T>> {
    if (this.closed.aborted) throw new Unavailable('the event log is closed');
    const opened = this.#opened;
    opened.used = true;
    try {
      const stub = await opened.internals.execute(grpcStreams.StreamsClient, 'palimpsest', async (client) => client);
      // Only the leader has every acknowledged event. These calls are long-lived: callers set the deadlines.
      const args = opened.internals.callArguments({ requiresLeader: true }, { deadline: Infinity });
      const call = start(stub, ...args);
      opened.node = nodeOf(stub);
      endWith(call, opened.gone.signal);
      const arrived = (): void => this.#arrived(opened);
      return { call, arrived, waiting: () => opened.silence.waiting(), failed: (error) => this.#failed(opened, stub, error) };
    } catch (error) {
      await this.#failed(opened, undefined, error);
      throw error;
    }
  }

  #arrived(opened: Opened): void {
    this.#silentInARow = 0;
    opened.silence.arrived();
  }

  /** A call ended in `error`: the next calls use a new connection, to the leader that the error names. */
  async #failed(opened: Opened, stub: StreamsClient | undefined, error: unknown): Promise<void> {
    if (this.closed.aborted || opened !== this.#opened || !isOfTheNode(error)) return;
    if (isNotLeader(error) && stub) return opened.internals.handleError(stub, error as Error);
    // Other calls receive data from this node: it is slow, not gone.
    if (error instanceof Timeout && (error.cutShort || !opened.silence.silentFor(error.ms))) return;
    if (error instanceof NotWritten && performance.now() - opened.openedAt < REFUSAL_LIMIT_MS) return;
    this.#abandon(opened);
  }

  #abandon(opened: Opened): void {
    if (this.closed.aborted || opened !== this.#opened) return;
    this.#generation += 1;
    this.#opened = this.#open(opened.node);
    opened.silence.stop();
    // Calls in progress on it might wait forever.
    opened.gone.abort();
    void release(opened);
  }

  /** `avoid`: the `host:port` of a failed node. */
  #open(avoid?: string): Opened {
    const client = EventStoreDBClient.connectionString(clientConnectionString(this.#connectionString, this.#generation, avoid));
    const silence = new SilenceWatch(this.#silentInARow < MANY_SILENT ? SILENCE_MS : LONG_SILENCE_MS, () => {
      this.#silentInARow += 1;
      this.#abandon(opened);
    });
    const internals = client as unknown as ClientInternals;
    const opened: Opened = {
      client,
      internals,
      silence,
      gone: new AbortController(),
      node: undefined,
      used: false,
      openedAt: performance.now(),
    };
    return opened;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#opened.silence.stop();
    await release(this.#opened);
  }
}

/** A call in progress on a connection. */
export type Call<T> = Readonly<{
  call: T;
  /** Reports that the server sent something. */
  arrived(): void;
  /** Reports that a caller waits for the server, until the returned function is called. */
  waiting(): () => void;
  /** Reports that the call failed. */
  failed(error: unknown): Promise<void>;
}>;

/** `dns:host:port` becomes `host:port`. */
const nodeOf = (stub: StreamsClient): string =>
  stub
    .getChannel()
    .getTarget()
    .replace(/^[a-z0-9]+:(?=.*:)/, '');

const endWith = (call: ReadCall | BatchCall, gone: AbortSignal): void => {
  const cancel = (): void => call.cancel();
  gone.addEventListener('abort', cancel, { once: true });
  call.once('status', () => gone.removeEventListener('abort', cancel));
  if (gone.aborted) cancel();
};

const release = async ({ client, internals, used }: Opened): Promise<void> => {
  await client.dispose();
  if (!used) return;
  // The client never closes its channel, which keeps the process alive while it tries to connect.
  await internals.getChannel().then(
    (channel) => channel.close(),
    () => undefined,
  );
};
