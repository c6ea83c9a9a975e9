import './request-queue-fix.ts';
import { connect, isIP, Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { Kafka, logLevel, PartitionAssigners, type Admin, type Cluster, type ISocketFactoryArgs } from 'kafkajs';
import type { KafkaSettings } from './kafka-options.ts';
import { pause } from '@palimpsest/foundation';
import { backoffMs } from './backoff.ts';
import { translated } from './faults.ts';

/** Few retries by kafkajs: the adapter retries what must not stop, and knows when to stop. */
export const RETRY = { initialRetryTime: 50, maxRetryTime: 1_000, factor: 0.2, multiplier: 2, retries: 5 };
const KEEP_ALIVE_MS = 60_000;
const ASK_AGAIN = 6;

/** The connections of one process to a cluster. */
export class KafkaLink {
  readonly kafka: Kafka;
  readonly settings: KafkaSettings;
  readonly #sockets = new Set<Socket>();
  #dead = false;
  #asking: Promise<Cluster> | undefined;
  #publishing: Promise<Cluster> | undefined;
  #admin: Promise<Admin> | undefined;

  constructor(settings: KafkaSettings) {
    this.settings = settings;
    const { brokers, clientId, ssl, sasl, requestTimeoutMs, onFault } = settings;
    this.kafka = new Kafka({
      brokers: [...brokers],
      clientId,
      retry: RETRY,
      requestTimeout: requestTimeoutMs,
      connectionTimeout: Math.min(3_000, requestTimeoutMs),
      ...(ssl === undefined ? {} : { ssl }),
      ...(sasl === undefined ? {} : { sasl }),
      logLevel: logLevel.ERROR,
      logCreator:
        () =>
        ({ namespace, log }) =>
          onFault(new Error(`kafkajs ${namespace}: ${[log.message, log['error']].join(' ')}`)),
      socketFactory: (args) => this.#socket(args),
    });
  }

  /** Queries the cluster, and retries after a change of leader or coordinator. @throws Unavailable, StoreRefused */
  async ask<T>(doing: string, question: (cluster: Cluster) => Promise<T>): Promise<T> {
    const patience = Date.now() + this.settings.requestTimeoutMs / 2;
    for (let failures = 0; ; failures += 1)
      try {
        this.#asking ??= this.#cluster();
        this.#asking.catch(() => (this.#asking = undefined));
        return await question(await this.#asking);
      } catch (error) {
        const fault = translated(doing, error);
        if (failures >= ASK_AGAIN || Date.now() > patience || this.#dead || !('retryable' in fault && fault.retryable)) throw fault;
        await pause(backoffMs(failures + 1, 25, 1_000));
        await this.#asking?.then((cluster) => cluster.refreshMetadata()).catch(() => undefined);
      }
  }

  /**
   * For publishing only: a broker answers the requests of one connection sequentially, and a request that waits for
   * replicas would delay the queries. @throws Unavailable, StoreRefused
   */
  publishing(): Promise<Cluster> {
    this.#publishing ??= this.#cluster().catch((error: unknown) => {
      this.#publishing = undefined;
      throw translated('connect to publish', error);
    });
    return this.#publishing;
  }

  /** Only for idempotent operations; retried like a query. @throws Unavailable, StoreRefused */
  async administer<T>(doing: string, act: (admin: Admin) => Promise<T>): Promise<T> {
    for (let failures = 0; ; failures += 1)
      try {
        this.#admin ??= (async () => {
          const admin = this.kafka.admin();
          await admin.connect();
          return admin;
        })();
        return await act(await this.#admin);
      } catch (error) {
        this.#admin?.then((admin) => admin.disconnect()).catch(() => undefined);
        this.#admin = undefined;
        const fault = translated(doing, error);
        if (failures >= ASK_AGAIN || this.#dead || !('retryable' in fault && fault.retryable)) throw fault;
        await pause(backoffMs(failures + 1, 50, 2_000));
      }
  }

  async close(): Promise<void> {
    for (const cluster of [this.#publishing, this.#asking]) await cluster?.then((one) => one.disconnect()).catch(() => undefined);
    await this.#admin?.then((admin) => admin.disconnect()).catch(() => undefined);
    this.kill();
  }

  /** Breaks every connection as if the process had ended, and refuses new ones. */
  kill(): void {
    this.#dead = true;
    // with an error: kafkajs does not notice when a socket just closes, and keeps waiting for its answers
    for (const socket of this.#sockets) socket.destroy(new Error('the connection was broken'));
  }

  /**
   * kafkajs exposes its view of the cluster to partition assigners only. This consumer never joins a group; it is a way to
   * read and write partitions without being a member of a group.
   */
  async #cluster(): Promise<Cluster> {
    let found: Cluster | undefined;
    this.kafka.consumer({
      groupId: 'none',
      partitionAssigners: [(config) => ((found = config.cluster), PartitionAssigners.roundRobin(config))],
    });
    if (found === undefined) throw new Error('kafkajs provided no cluster');
    await found.connect();
    return found;
  }

  #socket({ host, port, ssl, onConnect }: ISocketFactoryArgs): Socket {
    const made = this.#dead
      ? refused()
      : ssl
        ? connectTls({ host, port, ...(isIP(host) ? {} : { servername: host }), ...ssl }, onConnect)
        : connect({ host, port }, onConnect);
    this.#sockets.add(made.once('close', () => this.#sockets.delete(made)));
    return made.setKeepAlive(true, KEEP_ALIVE_MS);
  }
}

const refused = (): Socket => {
  const socket = new Socket();
  setImmediate(() => socket.destroy(new Error('closed')));
  return socket;
};
