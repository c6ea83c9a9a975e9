import { InvalidValue } from '@palimpsest/knowledge';

export type RedisCacheOptions = Readonly<{
  /** `redis://` or `rediss://` (TLS), with user, password and database where needed. */
  url: string;
  /** How long an embedding is kept after it was computed. Default 30 days. */
  ttlSeconds?: number;
  /** Every key begins with it. Default `palimpsest:embedding:`. */
  keyPrefix?: string;
  /** How long a call waits for Redis at most, in milliseconds, before it computes. Default 50. */
  timeoutMs?: number;
  /** How long Redis is left alone after it failed several times in a row, in milliseconds. Default 5 s. */
  restMs?: number;
  /** At least 32 characters, the same in all processes: values are encrypted with it, and keys cannot be guessed from texts or found by other tenants. */
  secret: string;
  /** Told of what went wrong with Redis; callers of `embed` are not. */
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
  // It may hold a password, so what is wrong is not repeated.
  if (url === undefined || !/^rediss?:$/.test(url.protocol) || url.hostname === '')
    throw new InvalidValue('url', 'an address such as redis://127.0.0.1:6379', 'another');
  return raw;
};

const secretOf = (raw: string): string => {
  if (raw.length < 32) throw new InvalidValue('secret', 'at least 32 characters', `${raw.length} characters`);
  return raw;
};

const whole = (field: string, value: number, least: number, most: number): number => {
  if (!Number.isInteger(value) || value < least || value > most)
    throw new InvalidValue(field, `a whole number from ${least} to ${most}`, value);
  return value;
};
