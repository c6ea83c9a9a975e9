import { APIConnectionError, APIError } from 'openai';
import { Overloaded, ServerAway, Unavailable } from '@palimpsest/knowledge/errors';
import { retryAfter } from './endpoint-failure.ts';
import { AttemptFailed } from './retries.ts';

const DEFAULT_RETRY_AFTER_SECONDS = 30;
const TRANSIENT: readonly number[] = [408, 409];

/** Converts the client's errors into ones that callers may see: they contain the status and no words of the endpoint. `name`: of the endpoint. */
export const shortFailure = (fault: unknown, name: string): AttemptFailed => {
  const away = (message: string): ServerAway => new ServerAway(message, { forCallers: true });
  if (fault instanceof APIConnectionError) return new AttemptFailed(away(`${name} cannot be reached`), 'soon');
  if (!(fault instanceof APIError) || fault.status === undefined)
    return new AttemptFailed(new Unavailable(`${name} returned a response that cannot be read`, { forCallers: true }), 'soon');
  const status = Number(fault.status);
  const retryAfterMs = retryAfter(fault.headers);
  if (status === 429) {
    const seconds = retryAfterMs === undefined ? DEFAULT_RETRY_AFTER_SECONDS : Math.ceil(retryAfterMs / 1000);
    return new AttemptFailed(new Overloaded(`${name} reported too many requests`, seconds), 'after rate limit', retryAfterMs);
  }
  const failed = new Unavailable(`${name} failed (status ${status})`, { forCallers: true });
  return new AttemptFailed(failed, status >= 500 || TRANSIENT.includes(status) ? 'soon' : 'never', retryAfterMs);
};
