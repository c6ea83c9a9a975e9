import { EventStoreDBClient } from '@eventstore/db-client';
import type { BaseOptions } from '@eventstore/db-client';
import grpcStreams from '@eventstore/db-client/generated/streams_grpc_pb.js';
import type { StreamsClient } from '@eventstore/db-client/generated/streams_grpc_pb.js';
import { Unavailable } from '@palimpsest/knowledge';
import type { BatchCall, ReadCall, ReadReq } from './protocol.ts';
import { clientConnectionString } from './connection-string.ts';
import { isNotLeader, isTransient } from './server-faults.ts';

/**
 * What the client offers to its own calls (protected or private there; pinned to 6.2.1): the connection with its discovery,
 * TLS and credentials. The calls themselves are made here, since the client's have no filters on reads, no deadlines, and share
 * what is under way between all clients of the process (traps 2, 3, 6 and 7 in the README).
 */
type ClientInternals = {
  execute<T>(client: typeof StreamsClient, name: string, action: (stub: StreamsClient) => Promise<T>): Promise<T>;
  callArguments(options: BaseOptions, callOptions: { deadline: number }): Parameters<StreamsClient['batchAppend']>;
  handleError(stub: StreamsClient, error: Error): Promise<void>;
  getChannel(): Promise<{ close(): void }>;
};

type Opened = { readonly client: EventStoreDBClient; readonly internals: ClientInternals; used: boolean };

/** One connection to the server or cluster, made again when it failed. */
export class Connection {
  readonly #connectionString: string;
  #opened: Opened;
  #generation = 0;
  readonly #closing = new AbortController();

  /** @throws InvalidValue; Error of the client when it cannot make sense of the string */
  constructor(connectionString: string) {
    this.#connectionString = connectionString;
    this.#opened = this.#open();
  }

  /** How often a connection was given up and made again. */
  get reconnects(): number {
    return this.#generation;
  }

  /** Aborts when the connection is closed: nobody should try again. */
  get closed(): AbortSignal {
    return this.#closing.signal;
  }

  read(request: ReadReq): Promise<Call<ReadCall>> {
    return this.#call((stub, ...args) => stub.read(request, ...args));
  }

  batchAppend(): Promise<Call<BatchCall>> {
    return this.#call((stub, ...args) => stub.batchAppend(...args));
  }

  async #call<T>(start: (stub: StreamsClient, ...args: Parameters<StreamsClient['batchAppend']>) => T): Promise<Call<T>> {
    if (this.closed.aborted) throw new Unavailable('the event log is closed');
    const opened = this.#opened;
    opened.used = true;
    try {
      const stub = await opened.internals.execute(grpcStreams.StreamsClient, 'palimpsest', async (client) => client);
      // Only the leader has every acknowledged event. Deadlines are those of the callers: these calls last.
      const args = opened.internals.callArguments({ requiresLeader: true }, { deadline: Infinity });
      return { call: start(stub, ...args), failed: (error) => this.#failed(opened, stub, error) };
    } catch (error) {
      await this.#failed(opened, undefined, error);
      throw error;
    }
  }

  /** A call ended in `error`: what comes next goes over a new connection, to the leader that the error names. */
  async #failed(opened: Opened, stub: StreamsClient | undefined, error: unknown): Promise<void> {
    if (this.closed.aborted || opened !== this.#opened || !isTransient(error)) return;
    if (isNotLeader(error) && stub) return opened.internals.handleError(stub, error as Error);
    this.#generation += 1;
    this.#opened = this.#open();
    void release(opened);
  }

  #open(): Opened {
    const client = EventStoreDBClient.connectionString(clientConnectionString(this.#connectionString, this.#generation));
    return { client, internals: client as unknown as ClientInternals, used: false };
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await release(this.#opened);
  }
}

/** A call under way, and where to report that it failed. */
export type Call<T> = Readonly<{ call: T; failed(error: unknown): Promise<void> }>;

const release = async ({ client, internals, used }: Opened): Promise<void> => {
  await client.dispose();
  if (!used) return;
  // The client never closes its channel, which keeps the process alive as long as the connection tries to come up.
  await internals.getChannel().then(
    (channel) => channel.close(),
    () => undefined,
  );
};
