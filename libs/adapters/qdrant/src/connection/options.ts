import { InvalidValue } from '@palimpsest/knowledge/errors';
import type { ScopeKeys } from '@palimpsest/knowledge/ports';

/** The settings of both indexes: how to reach a server, and the layout of the collections. */
export type QdrantOptions = Readonly<{
  /** `http://host:6333` or `https://…`, with a path if a proxy requires one. Without a port: 6333, like Qdrant's clients. */
  url: string;
  apiKey?: string;
  /** Keys of the scopes: the server gets nothing of a document without them, except its vectors. */
  keys: Pick<ScopeKeys, 'cipher'>;
  /** After the opening, `purge` waits this long before it removes what earlier formats have left, in ms: processes that use it may still run. @default 0 */
  earlierFormatsMs?: number;
  /** Prefix of the names of all collections: a-z, 0-9, "-"; 1-40 characters. Installations that share a server need different ones. @default palimpsest */
  prefix?: string;
  /** Maximum duration of one request, in ms. @default 30,000 */
  timeoutMs?: number;
  /** How long reads are retried, in ms; then Unavailable. @default 5,000 */
  readRetryMs?: number;
  /** The same for writes. @default 60,000 */
  writeRetryMs?: number;
  /** Points of one upsert; two upserts run at a time. @default 250 */
  batchPoints?: number;
  /** Estimated bytes of one upsert; Qdrant's own limit is 32 MiB. @default 8 MiB */
  batchBytes?: number;
  /** Copies of each shard in a cluster. With more than one, writes go through the leader (`ordering: strong`). @default 1 */
  replicationFactor?: number;
  /** How many replicas must have a write before it is confirmed. @default the server's own: 1 */
  writeConsistencyFactor?: number;
  /** Shards of each collection. @default the server's own choice */
  shardNumber?: number;
  /** Payloads on disk rather than in memory. @default true */
  onDiskPayload?: boolean;
}>;

export type ConnectionSettings = Readonly<{
  protocol: string;
  hostname: string;
  /** `null`: the default port of the protocol. */
  port: number | null;
  pathname: string;
  apiKey: string | undefined;
  timeoutMs: number;
  readRetryMs: number;
  writeRetryMs: number;
}>;

export type Layout = Readonly<{
  prefix: string;
  batchPoints: number;
  batchBytes: number;
  /** For the creation of collections. */
  sharding: Readonly<{ replication_factor?: number; write_consistency_factor?: number; shard_number?: number; on_disk_payload: boolean }>;
  ordering: 'weak' | 'strong';
}>;

/** @throws InvalidValue naming the option */
export const connectionSettings = (options: Omit<QdrantOptions, 'keys'>): ConnectionSettings => {
  const parsed = URL.canParse(options.url) ? new URL(options.url) : undefined;
  if (parsed === undefined || !/^https?:$/.test(parsed.protocol))
    throw new InvalidValue('url', 'an http:// or https:// address', options.url);
  // `URL` hides the default port of the protocol, and the client would then use 6333.
  const [, written] = /^https?:\/\/[^/]*:(\d+)(?:\/|$)/i.exec(options.url) ?? [];
  return {
    protocol: parsed.protocol,
    hostname: parsed.hostname,
    port: written === undefined ? 6333 : parsed.port === '' ? null : Number(parsed.port),
    pathname: parsed.pathname.replace(/\/$/, ''),
    apiKey: options.apiKey,
    timeoutMs: whole('timeoutMs', options.timeoutMs, 30_000, 1),
    readRetryMs: whole('readRetryMs', options.readRetryMs, 5_000, 0),
    writeRetryMs: whole('writeRetryMs', options.writeRetryMs, 60_000, 0),
  };
};

/** @throws InvalidValue naming the option */
export const layoutOf = (options: Omit<QdrantOptions, 'keys'>): Layout => {
  const { prefix = 'palimpsest', replicationFactor, writeConsistencyFactor, shardNumber } = options;
  if (!/^[a-z0-9-]{1,40}$/.test(prefix)) throw new InvalidValue('prefix', '1-40 characters of a-z, 0-9, "-"', prefix);
  const given = (field: string, value: number | undefined): number | undefined =>
    value === undefined ? undefined : whole(field, value, 1, 1);
  const sharding = {
    replication_factor: given('replicationFactor', replicationFactor),
    write_consistency_factor: given('writeConsistencyFactor', writeConsistencyFactor),
    shard_number: given('shardNumber', shardNumber),
  };
  const set = Object.fromEntries(Object.entries(sharding).filter(([, value]) => value !== undefined));
  return {
    prefix,
    batchPoints: whole('batchPoints', options.batchPoints, 250, 1),
    batchBytes: whole('batchBytes', options.batchBytes, 8 * 2 ** 20, 1),
    sharding: { ...set, on_disk_payload: options.onDiskPayload ?? true },
    ordering: (replicationFactor ?? 1) > 1 ? 'strong' : 'weak',
  };
};

const whole = (field: string, value: number | undefined, fallback: number, min: number): number => {
  if (value === undefined) return fallback;
  if (!Number.isSafeInteger(value) || value < min) throw new InvalidValue(field, `a whole number, ${min} or more`, value);
  return value;
};
