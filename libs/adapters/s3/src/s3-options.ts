import { InvalidValue } from '@palimpsest/knowledge/errors';
import { blobKey } from '@palimpsest/knowledge/ports';

export type S3BlobStoreOptions = Readonly<{
  /** The address of the store, `https://…` or `http://…`. Default: that of AWS for the region. */
  endpoint?: string;
  region: string;
  bucket: string;
  /** Both or neither. Without them, the AWS default chain is used (environment, profile, role of the machine). */
  accessKeyId?: string;
  secretAccessKey?: string;
  sessionToken?: string;
  /** Every object's name starts with it and a "/", so stores may share a bucket. Segments as in a blob key, at most 100 characters. */
  prefix?: string;
  /** `https://host/bucket/…` (default) instead of `https://bucket.host/…`. */
  forcePathStyle?: boolean;
  /** How long a call is retried, in milliseconds; then Unavailable. Default 30 s. */
  retryForMs?: number;
  /** Maximum time without progress in one attempt, in milliseconds; a write gets one more per 500 bytes. Default 10 s. */
  timeoutMs?: number;
  /** Maximum number of connections, and so of concurrent calls; further ones wait. Default 64. */
  maxSockets?: number;
  /** Maximum size of a blob, up to 1 GiB (the default): blobs are held in memory and written by one request. */
  maxBlobBytes?: number;
  /** Accept a bucket with versioning: replaced and deleted objects then remain readable, including destroyed keys. */
  acceptVersioning?: boolean;
}>;

export type S3Settings = Readonly<{
  endpoint: string | undefined;
  region: string;
  bucket: string;
  credentials: Readonly<{ accessKeyId: string; secretAccessKey: string; sessionToken?: string }> | undefined;
  /** '' or ending in "/". */
  prefix: string;
  forcePathStyle: boolean;
  retryForMs: number;
  timeoutMs: number;
  maxSockets: number;
  maxBlobBytes: number;
  acceptVersioning: boolean;
}>;

const GIB = 2 ** 30;

/** @throws InvalidValue */
export const parseS3Options = (options: S3BlobStoreOptions): S3Settings => ({
  endpoint: endpointOf(options.endpoint),
  region: filled('region', options.region),
  bucket: filled('bucket', options.bucket),
  credentials: credentialsOf(options),
  prefix: prefixOf(options.prefix ?? ''),
  forcePathStyle: options.forcePathStyle ?? true,
  retryForMs: whole('retryForMs', options.retryForMs ?? 30_000, 0, 3_600_000),
  timeoutMs: whole('timeoutMs', options.timeoutMs ?? 10_000, 10, 600_000),
  maxSockets: whole('maxSockets', options.maxSockets ?? 64, 1, 10_000),
  maxBlobBytes: whole('maxBlobBytes', options.maxBlobBytes ?? GIB, 1, GIB),
  acceptVersioning: options.acceptVersioning ?? false,
});

const filled = (field: string, value: string | undefined): string => {
  if (typeof value !== 'string' || !/^\S+$/.test(value)) throw new InvalidValue(field, 'a name without spaces', value);
  return value;
};

const whole = (field: string, value: number, min: number, max: number): number => {
  if (!Number.isInteger(value) || value < min || value > max) throw new InvalidValue(field, `a whole number from ${min} to ${max}`, value);
  return value;
};

const endpointOf = (raw: string | undefined): string | undefined => {
  if (raw === undefined) return undefined;
  const url = URL.canParse(raw) ? new URL(raw) : undefined;
  const usable = url !== undefined && /^https?:$/.test(url.protocol) && url.username === '' && url.search === '' && url.hash === '';
  // The value may contain a password, so the error does not quote it.
  if (!usable) throw new InvalidValue('endpoint', 'an address such as https://s3.example.org, without user or query', 'something else');
  return raw;
};

const credentialsOf = ({ accessKeyId, secretAccessKey, sessionToken }: S3BlobStoreOptions): S3Settings['credentials'] => {
  if (accessKeyId === undefined && secretAccessKey === undefined && sessionToken === undefined) return undefined;
  if (!accessKeyId) throw new InvalidValue('accessKeyId', 'the key that belongs to secretAccessKey', accessKeyId);
  if (!secretAccessKey) throw new InvalidValue('secretAccessKey', 'the secret that belongs to accessKeyId', undefined);
  return { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) };
};

const prefixOf = (raw: string): string => {
  const bare = raw.replace(/\/$/, '');
  if (bare === '') return '';
  // An object's name has at most 1,024 bytes. A key may use 900 of them, and the ending 4.
  if (bare.length > 100) throw new InvalidValue('prefix', 'at most 100 characters', raw);
  return `${blobKey(bare)}/`;
};
