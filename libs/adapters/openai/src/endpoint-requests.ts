import type OpenAI from 'openai';
import { InvalidValue, Unavailable } from '@palimpsest/knowledge/errors';
import { cautiousFetch } from './cautious-fetch.ts';
import { endpointClient } from './endpoint-client.ts';
import { AttemptFailed, withRetries, type RetryPolicy } from './retries.ts';
import { shortFailure } from './short-failure.ts';

export type EndpointOptions = Readonly<{
  /** With the version of the interface, for example `http://localhost:8080/v1`. */
  baseUrl: string;
  /** Any text for an endpoint without keys. */
  apiKey: string;
  model: string;
  /** Timeout for one request including its response. Default: 10,000 ms. */
  timeoutMs?: number;
  retry?: Partial<RetryPolicy>;
}>;

export type EndpointRequests = Readonly<{
  /**
   * Calls `send` until it succeeds, at most twice. What it throws as Unavailable is final.
   * @throws Unavailable, Overloaded, in words that callers may see; the reason of the signal
   */
  ask: <Answer>(send: (client: OpenAI, signal: AbortSignal) => Promise<Answer>, signal?: AbortSignal) => Promise<Answer>;
  /** Ends all calls. */
  close: () => Promise<void>;
}>;

/** A search waits for the answer, so a second attempt follows soon or not at all. */
const RETRY: RetryPolicy = { retries: 1, baseMs: 100, rateLimitBaseMs: 200, maxPauseMs: 500 };
const TIMEOUT_MS = 10_000;
/** Scores of 100 passages or a text of a model take a few kilobytes; some endpoints repeat the passages. */
const MAX_ANSWER_BYTES = 2_000_000;

/** Requests to an endpoint that a search waits for. `name`: of the endpoint, for errors. @throws InvalidValue that names the option */
export const openEndpoint = (
  { baseUrl, apiKey, model, timeoutMs = TIMEOUT_MS, retry }: EndpointOptions,
  name: string,
): EndpointRequests => {
  if (!/^https?:$/.test(URL.parse(baseUrl)?.protocol ?? '')) throw new InvalidValue('baseUrl', 'an http or https URL', baseUrl);
  if (!/^\S{1,200}$/.test(model)) throw new InvalidValue('model', 'a name of 1 to 200 characters without spaces', model);
  const client = endpointClient({ apiKey, baseUrl, timeoutMs }, cautiousFetch(MAX_ANSWER_BYTES));
  const closing = new AbortController();

  const attempt = async <Answer>(send: (client: OpenAI, signal: AbortSignal) => Promise<Answer>, stop: AbortSignal): Promise<Answer> => {
    // The client's own timeout ends with the headers; this one includes the response body.
    const late = AbortSignal.timeout(timeoutMs);
    try {
      return await send(client, AbortSignal.any([stop, late]));
    } catch (fault) {
      stop.throwIfAborted();
      if (late.aborted)
        throw new AttemptFailed(new Unavailable(`${name} did not respond within ${timeoutMs} ms`, { forCallers: true }), 'never');
      if (fault instanceof Unavailable) throw new AttemptFailed(fault, 'never');
      throw shortFailure(fault, name);
    }
  };
  return {
    ask: async (send, signal) => {
      const stop = AbortSignal.any([closing.signal, ...(signal === undefined ? [] : [signal])]);
      return withRetries(() => attempt(send, stop), { ...RETRY, ...retry }, stop);
    },
    close: async () => closing.abort(new Unavailable(`${name} is closed`, { forCallers: true })),
  };
};
