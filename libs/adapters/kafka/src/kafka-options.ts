import type { ConnectionOptions } from 'node:tls';
import { InvalidValue } from '@palimpsest/knowledge/errors';
import type { SASLOptions } from 'kafkajs';

/** The address of the cluster and the settings of its topics, for both the message bus and the partition leases. */
export type KafkaOptions = Readonly<{
  /** `host:port` of some brokers; they name the others. */
  brokers: readonly string[];
  /** Prefix of every topic and group of this platform, default `palimpsest.`; only characters that Kafka allows. */
  prefix?: string;
  clientId?: string;
  /** Replicas of topics that are created here; default: the setting of the cluster. */
  replication?: number;
  /** How many replicas must have a message before it counts as written; default: the setting of the cluster. */
  minInsyncReplicas?: number;
  ssl?: boolean | ConnectionOptions;
  sasl?: SASLOptions;
  /** A member without heartbeats for this long counts as dead; default 10,000. The cluster sets bounds (`group.min.session.timeout.ms`). */
  sessionTimeoutMs?: number;
  /** How long members wait for each other when partitions move, default 30,000; must exceed `graceMs`. */
  rebalanceTimeoutMs?: number;
  /** How long work in progress may continue when its partitions move, default 10,000. */
  graceMs?: number;
  /** How long one request to a broker may take, default 10,000. */
  requestTimeoutMs?: number;
  /** Called with errors that are retried. */
  onFault?: (error: Error) => void;
}>;

export type KafkaBusOptions = KafkaOptions &
  Readonly<{
    /** Partitions of topics that are created here, default 6: the maximum number of processes that share the work of one group. Never change it for a topic that has messages. */
    partitions?: number;
    /** How long messages are kept, whether handled or not; default 7 days. */
    retentionMs?: number;
    /** Number of messages per partition within which a repeated id is recognised; default 10,000. */
    idWindow?: number;
    /** Without an answer for this long, `publish` rejects with Unavailable; default 30,000. */
    publishTimeoutMs?: number;
  }>;

type Defaults = 'prefix' | 'clientId' | 'sessionTimeoutMs' | 'rebalanceTimeoutMs' | 'graceMs' | 'requestTimeoutMs' | 'onFault';
export type KafkaSettings = KafkaOptions & Required<Pick<KafkaOptions, Defaults>>;
export type KafkaBusSettings = KafkaSettings &
  Required<Pick<KafkaBusOptions, 'partitions' | 'retentionMs' | 'idWindow' | 'publishTimeoutMs'>>;

const WEEK_MS = 7 * 24 * 3_600_000;

/** @throws InvalidValue */
export const kafkaSettings = (options: KafkaOptions): KafkaSettings => {
  const settings = {
    prefix: 'palimpsest.',
    clientId: 'palimpsest',
    sessionTimeoutMs: 10_000,
    rebalanceTimeoutMs: 30_000,
    graceMs: 10_000,
    requestTimeoutMs: 10_000,
    onFault: () => undefined,
    ...options,
  };
  const { brokers, prefix, graceMs, rebalanceTimeoutMs } = settings;
  if (!Array.isArray(brokers) || brokers.length === 0 || !brokers.every(isAddress))
    throw new InvalidValue('brokers', 'a list of host:port', brokers);
  if (!/^[a-zA-Z0-9._-]{0,100}$/.test(prefix)) throw new InvalidValue('prefix', 'at most 100 of a-z, A-Z, 0-9, ".", "_", "-"', prefix);
  wholeNumbers(settings, ['sessionTimeoutMs', 'rebalanceTimeoutMs', 'requestTimeoutMs'], 1);
  wholeNumbers(settings, ['graceMs'], 0);
  for (const field of ['replication', 'minInsyncReplicas'] as const) if (settings[field] !== undefined) wholeNumbers(settings, [field], 1);
  if (graceMs >= rebalanceTimeoutMs) throw new InvalidValue('graceMs', `less than rebalanceTimeoutMs (${rebalanceTimeoutMs})`, graceMs);
  return settings;
};

/** @throws InvalidValue */
export const kafkaBusSettings = (options: KafkaBusOptions): KafkaBusSettings => {
  const settings = {
    partitions: 6,
    retentionMs: WEEK_MS,
    idWindow: 10_000,
    publishTimeoutMs: 30_000,
    ...options,
    ...kafkaSettings(options),
  };
  wholeNumbers(settings, ['partitions', 'retentionMs', 'publishTimeoutMs'], 1);
  wholeNumbers(settings, ['idWindow'], 0);
  return settings;
};

const isAddress = (broker: unknown): boolean => typeof broker === 'string' && /^[^\s:]+:\d{1,5}$|^\[[^\]]+\]:\d{1,5}$/.test(broker);

const wholeNumbers = <F extends string>(settings: Readonly<Partial<Record<F, unknown>>>, fields: readonly F[], min: number): void => {
  for (const field of fields) {
    const value = settings[field];
    if (!Number.isInteger(value) || (value as number) < min) throw new InvalidValue(field, `a whole number, at least ${min}`, value);
  }
};
