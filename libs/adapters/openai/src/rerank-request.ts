import type OpenAI from 'openai';
import { InvalidValue, Unavailable } from '@palimpsest/knowledge/errors';
import type { Reranker, RerankPassage } from '@palimpsest/knowledge/models';
import { cautiousFetch } from './cautious-fetch.ts';
import { endpointClient } from './endpoint-client.ts';
import { AttemptFailed, withRetries, type RetryPolicy } from './retries.ts';
import { shortFailure } from './short-failure.ts';

export type RerankEndpointOptions = Readonly<{
  /** With the version of the interface, for example `http://localhost:8080/v1`. */
  baseUrl: string;
  /** Any text for an endpoint without keys. */
  apiKey: string;
  model: string;
  /** Timeout for one request including its response. Default: 10,000 ms. */
  timeoutMs?: number;
  retry?: Partial<RetryPolicy>;
}>;

/** What differs between endpoints that rerank: `name` for errors, the version, one request, and what its answer means. */
export type RerankProtocol = Readonly<{
  name: string;
  version: string;
  ask: (client: OpenAI, query: string, passages: readonly RerankPassage[], signal: AbortSignal) => Promise<readonly number[]>;
}>;

/** A search waits for the answer, so a second attempt follows soon or not at all. */
const RETRY: RetryPolicy = { retries: 1, baseMs: 100, rateLimitBaseMs: 200, maxPauseMs: 500 };
const TIMEOUT_MS = 10_000;
/** Scores of 100 passages take a few kilobytes; some endpoints repeat the passages. */
const MAX_ANSWER_BYTES = 2_000_000;

/** @throws InvalidValue that names the option */
export const openRerankEndpoint = (
  { baseUrl, apiKey, model, timeoutMs = TIMEOUT_MS, retry }: RerankEndpointOptions,
  { name, version, ask }: RerankProtocol,
): Reranker => {
  if (!/^https?:$/.test(URL.parse(baseUrl)?.protocol ?? '')) throw new InvalidValue('baseUrl', 'an http or https URL', baseUrl);
  if (!/^\S{1,200}$/.test(model)) throw new InvalidValue('model', 'a name of 1 to 200 characters without spaces', model);
  const client = endpointClient({ apiKey, baseUrl, timeoutMs }, cautiousFetch(MAX_ANSWER_BYTES));
  const closing = new AbortController();

  const attempt = async (query: string, passages: readonly RerankPassage[], stop: AbortSignal): Promise<readonly number[]> => {
    // The client's own timeout ends with the headers; this one includes the response body.
    const late = AbortSignal.timeout(timeoutMs);
    try {
      return await ask(client, query, passages, AbortSignal.any([stop, late]));
    } catch (fault) {
      stop.throwIfAborted();
      if (late.aborted)
        throw new AttemptFailed(new Unavailable(`${name} did not respond within ${timeoutMs} ms`, { forCallers: true }), 'never');
      if (fault instanceof Unavailable) throw new AttemptFailed(fault, 'never');
      throw shortFailure(fault, name);
    }
  };
  return {
    version,
    score: async (query, passages, signal) => {
      const stop = AbortSignal.any([closing.signal, ...(signal === undefined ? [] : [signal])]);
      stop.throwIfAborted();
      return passages.length === 0 ? [] : withRetries(() => attempt(query, passages, stop), { ...RETRY, ...retry }, stop);
    },
    close: async () => closing.abort(new Unavailable('the reranker is closed', { forCallers: true })),
  };
};
