import { APIConnectionError, APIError } from 'openai';
import { InvalidValue, Overloaded, ServerAway, Unavailable } from '@palimpsest/knowledge/errors';

import { AttemptFailed } from './retries.ts';

/** The text itself is invalid: too many tokens, for example. A retry cannot help. */
const REFUSALS: readonly number[] = [400, 413, 422];
const TRANSIENT: readonly number[] = [408, 409];
/** A gateway reports that the endpoint is away. Other errors may concern this request only. */
const AWAY: readonly number[] = [502, 503, 504];
const DEFAULT_RETRY_AFTER_SECONDS = 30;

/**
 * Converts the client's errors. The endpoint's message is omitted, since it may quote the text or the key; its `code` and
 * `type` are short names.
 */
export const endpointFailure = (fault: unknown): AttemptFailed => {
  if (fault instanceof APIConnectionError) return new AttemptFailed(new ServerAway('the embedding endpoint cannot be reached'), 'soon');
  if (!(fault instanceof APIError) || fault.status === undefined)
    return new AttemptFailed(new Unavailable('the embedding endpoint returned a response that cannot be parsed'), 'soon');

  const status = Number(fault.status);
  const what = [status, fault.code, fault.type].filter((part) => part !== undefined && part !== null).join(' ');
  const retryAfterMs = retryAfter(fault.headers);
  if (status === 429 && fault.code !== 'insufficient_quota') {
    const seconds = retryAfterMs === undefined ? DEFAULT_RETRY_AFTER_SECONDS : Math.ceil(retryAfterMs / 1000);
    return new AttemptFailed(
      new Overloaded(`the embedding endpoint reported too many requests (${what})`, seconds),
      'after rate limit',
      retryAfterMs,
    );
  }
  if (REFUSALS.includes(status))
    return new AttemptFailed(new InvalidValue('texts', 'texts that the embedding endpoint accepts', what), 'never');
  if (AWAY.includes(status)) return new AttemptFailed(new ServerAway(`the embedding endpoint is away (${what})`), 'soon', retryAfterMs);
  if (status >= 500 || TRANSIENT.includes(status))
    return new AttemptFailed(new Unavailable(`the embedding endpoint failed (${what})`), 'soon', retryAfterMs);
  // Key, model name, quota: an operator has to fix it, and then the same call may succeed.
  return new AttemptFailed(new Unavailable(`the embedding endpoint rejects requests of this deployment (${what})`), 'never');
};

/** `Retry-After` in milliseconds from now, for both seconds and dates. */
export const retryAfter = (headers: Headers | undefined): number | undefined => {
  const raw = headers?.get('retry-after');
  if (raw === null || raw === undefined) return undefined;
  const ms = /^\d+(?:\.\d+)?$/.test(raw.trim()) ? Number(raw) * 1000 : Date.parse(raw) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
};
