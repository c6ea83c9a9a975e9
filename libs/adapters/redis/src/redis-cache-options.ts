import { InvalidValue } from '@palimpsest/knowledge/errors';

export type RedisCacheOptions = Readonly<{
  /** `redis://` or `rediss://` (TLS), with user, password and database if needed. */
  url: string;
  /** How long an embedding is kept after it was computed. Default 30 days. */
  ttlSeconds?: number;
  /** Prefix of every key. Default `palimpsest:embedding:`. */
  keyPrefix?: string;
  /** Maximum time that a call waits for Redis before it computes, in milliseconds. Default 50. */
  timeoutMs?: number;
  /** How long Redis is not asked after several failures in a row, in milliseconds. Default 5 s. */
  restMs?: number;
  /** At least 32 characters, the same in all processes: encrypts values, and prevents guessing keys from texts or from other tenants. */
  secret: string;
  /** Called with each fault of Redis; callers of `embed` do not see them. */
  onFault?: (fault: Error) => void;
}>;

export type RedisCacheSettings = Readonly<Required<RedisCacheOptions>>;

const MONTH_SECONDS = 30 * 24 * 3_600;

/** @throws InvalidValue */
export const parseRedisCacheOptions = (options: RedisCacheOptions): RedisCacheSettings => ({
  url: urlOf(options.url),
  ttlSeconds: whole('ttlSeconds', options.ttlSeconds ?? MONTH_SECONDS, 1, 10 * 365 * 24 * 3_600),
  keyPrefix: options.keyPrefix ?? 'palimpsest:embedding:',
  timeoutMs: whole('timeoutMs', options.timeoutMs ?? 50, 1, 60_000),
  restMs: whole('restMs', options.restMs ?? 5_000, 1, 3_600_000),
  secret: secretOf(options.secret),
  onFault: options.onFault ?? (() => undefined),
});

const urlOf = (raw: string): string => {
  const url = URL.canParse(raw) ? new URL(raw) : undefined;
  // The address may contain a password, so the error does not quote it.
  if (url === undefined || !/^rediss?:$/.test(url.protocol) || url.hostname === '')
    throw new InvalidValue('url', 'an address such as redis://127.0.0.1:6379', 'something else');
  return raw;
};

const secretOf = (raw: string): string => {
  if (raw.length < 32) throw new InvalidValue('secret', 'at least 32 characters', `${raw.length} characters`);
  return raw;
};

const whole = (field: string, value: number, min: number, max: number): number => {
  if (!Number.isInteger(value) || value < min || value > max) throw new InvalidValue(field, `a whole number from ${min} to ${max}`, value);
  return value;
};
