import { APIConnectionError, APIError } from 'openai';
import { InvalidValue, Overloaded, ServerAway, Unavailable } from '@palimpsest/knowledge';

import { AttemptFailed } from './retries.ts';

/** The text itself is at fault: too many tokens, say. Asking again changes nothing. */
const REFUSALS: readonly number[] = [400, 413, 422];
const PASSING: readonly number[] = [408, 409];
const DEFAULT_RETRY_AFTER_SECONDS = 30;

/**
 * The client's errors in our own terms. The endpoint's message is left out, since it may quote the text or the key; its
 * `code` and `type` are short names.
 */
export const endpointFailure = (fault: unknown): AttemptFailed => {
  if (fault instanceof APIConnectionError) return new AttemptFailed(new ServerAway('the embedding endpoint cannot be reached'), 'soon');
  if (!(fault instanceof APIError) || fault.status === undefined)
    return new AttemptFailed(new Unavailable('the embedding endpoint gave an answer that cannot be read'), 'soon');

  const status = Number(fault.status);
  const what = [status, fault.code, fault.type].filter((part) => part !== undefined && part !== null).join(' ');
  const retryAfterMs = retryAfter(fault.headers);
  if (status === 429 && fault.code !== 'insufficient_quota') {
    const seconds = retryAfterMs === undefined ? DEFAULT_RETRY_AFTER_SECONDS : Math.ceil(retryAfterMs / 1000);
    return new AttemptFailed(
      new Overloaded(`the embedding endpoint gets too many requests (${what})`, seconds),
      'when there is room',
      retryAfterMs,
    );
  }
  if (REFUSALS.includes(status))
    return new AttemptFailed(new InvalidValue('texts', 'texts that the embedding endpoint accepts', what), 'never');
  if (status >= 500 || PASSING.includes(status))
    return new AttemptFailed(new Unavailable(`the embedding endpoint failed (${what})`), 'soon', retryAfterMs);
  // Key, model name, quota: an operator has to act, and the same call may then succeed.
  return new AttemptFailed(new Unavailable(`the embedding endpoint refuses to work for this deployment (${what})`), 'never');
};

/** `Retry-After` in milliseconds, from now, whether it was given as seconds or as a date. */
const retryAfter = (headers: Headers | undefined): number | undefined => {
  const raw = headers?.get('retry-after');
  if (raw === null || raw === undefined) return undefined;
  const ms = /^\d+(?:\.\d+)?$/.test(raw.trim()) ? Number(raw) * 1000 : Date.parse(raw) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
};
