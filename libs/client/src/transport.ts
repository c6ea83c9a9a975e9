import type { CallOptions } from './call-options.ts';
import { follow, type FollowOptions } from './live/follow.ts';
import { ConnectionError, ProblemError, problemFrom } from './errors.ts';
import { isWorthRetrying, pause, retryAfterSeconds, retryDelay } from './retry.ts';
import type { RetryPolicy } from './retry.ts';

/** Reported before each retry delay, so that a caller can show that the server is busy. */
export type RetryNotice = Readonly<{ status: number; attempt: number; delayMs: number }>;

export type TransportOptions = Readonly<{
  url: string;
  apiKey: string | undefined;
  fetch: typeof fetch;
  retry: RetryPolicy;
  onRetry: ((notice: RetryNotice) => void) | undefined;
}>;

/** A list repeats the parameter; undefined values are left out. */
export type Query = Readonly<Record<string, string | number | readonly string[] | undefined>>;

export type Request = CallOptions &
  Readonly<{
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
    /** Relative to the server's address. Use the tag `path` to encode parts that come from data. */
    path: string;
    query?: Query;
    json?: unknown;
    form?: FormData;
    /** Lines of JSON. */
    ndjson?: Uint8Array<ArrayBuffer>;
    ifMatch?: number | undefined;
    headers?: Readonly<Record<string, string>>;
    /** The following options override those of the client. */
    fetch?: typeof fetch | undefined;
    onRetry?: ((notice: RetryNotice) => void) | undefined;
    retries?: number | undefined;
  }>;

/** Response header: the position of the read models. */
const POSITION_HEADER = 'palimpsest-position';
/** Request header: the position that the read models must have reached. */
const AT_LEAST_HEADER = 'palimpsest-at-least';

/** A template tag that URL-encodes each interpolated part. */
export const path = (literals: TemplateStringsArray, ...parts: readonly string[]): string =>
  String.raw({ raw: literals }, ...parts.map(encodeURIComponent));

/** Sends requests and reads responses; knows nothing about their meaning. */
export class Transport {
  readonly #options: TransportOptions;
  /** The highest position in any response. Later reads ask for at least this position, so that they see this client's own writes. */
  #seen = 0n;

  constructor(options: TransportOptions) {
    this.#options = options;
  }

  /**
   * Returns the JSON of the response (undefined without a body). Requests that were refused under load are retried.
   * @throws ProblemError, ConnectionError, or the signal's reason
   */
  async send<Answer>(request: Request): Promise<Answer> {
    for (let attempt = 0; ; attempt++) {
      const response = await this.#fetch(request);
      const body = await this.#bodyOf(response, request);
      if (response.ok) {
        const answer = (body === '' ? undefined : JSON.parse(body)) as Answer;
        this.#see(response.headers.get(POSITION_HEADER));
        this.#see((answer as { position?: unknown } | undefined)?.position);
        return answer;
      }
      const problem = problemFrom(response.status, body);
      const wait = retryAfterSeconds(response.headers.get('retry-after'), Date.now()) ?? problem.retryAfterSeconds;
      if (!isWorthRetrying(response.status) || attempt >= (request.retries ?? this.#options.retry.retries))
        throw new ProblemError(wait === undefined ? problem : { ...problem, retryAfterSeconds: wait }, this.#options.url);
      const delayMs = retryDelay(attempt, wait, this.#options.retry);
      (request.onRetry ?? this.#options.onRetry)?.({ status: response.status, attempt, delayMs });
      await pause(delayMs, request.signal);
    }
  }

  /**
   * Like `follow`, for messages that the read models already show: later reads, from any replica, are at least as new as the last message.
   */
  async *followShown<Message extends Readonly<{ position: string }>>(
    path: string,
    query: Query,
    options: FollowOptions,
  ): AsyncGenerator<Message> {
    for await (const message of this.follow<Message>(path, query, options)) {
      this.#see(message.position);
      yield message;
    }
  }

  /** The messages of a stream of server-sent events; reconnects as often as necessary. */
  follow<Message>(path: string, query: Query, options: FollowOptions): AsyncGenerator<Message> {
    const open = async (last: string | undefined): Promise<Response> => {
      const headers = { accept: 'text/event-stream', ...(last === undefined ? {} : { 'last-event-id': last }) };
      const request = { method: 'GET', path, query, headers, signal: options.signal } as const;
      const response = await this.#fetch(request);
      if (response.ok) return response;
      const problem = problemFrom(response.status, await this.#bodyOf(response, request));
      const wait = retryAfterSeconds(response.headers.get('retry-after'), Date.now());
      throw new ProblemError(wait === undefined ? problem : { ...problem, retryAfterSeconds: wait }, this.#options.url);
    };
    return follow<Message>(open, options, this.#options.retry);
  }

  /**
   * The bytes of the response as they arrive. @throws ProblemError, ConnectionError (also if the connection breaks), or the signal's reason
   */
  async *receive(request: Request): AsyncGenerator<Uint8Array> {
    const response = await this.#fetch(request);
    if (!response.ok) throw new ProblemError(problemFrom(response.status, await this.#bodyOf(response, request)), this.#options.url);
    this.#see(response.headers.get(POSITION_HEADER));
    try {
      for await (const bytes of response.body ?? []) yield bytes;
    } catch (cause) {
      throw this.#connectionError(cause, request);
    }
  }

  #see(position: unknown): void {
    if (typeof position !== 'string' || !/^[0-9]{1,20}$/.test(position)) return;
    const seen = BigInt(position);
    if (seen > this.#seen) this.#seen = seen;
  }

  async #fetch(request: Request): Promise<Response> {
    request.signal?.throwIfAborted();
    const url = new URL(`.${request.path}`, `${this.#options.url.replace(/\/+$/, '')}/`);
    for (const [name, value] of Object.entries(request.query ?? {}))
      for (const each of typeof value === 'object' ? value : value === undefined ? [] : [value])
        url.searchParams.append(name, String(each));
    try {
      return await (request.fetch ?? this.#options.fetch)(url, {
        method: request.method,
        headers: this.#headers(request),
        ...(request.json === undefined ? {} : { body: JSON.stringify(request.json) }),
        ...(request.form === undefined ? {} : { body: request.form }),
        ...(request.ndjson === undefined ? {} : { body: request.ndjson }),
        ...(request.signal === undefined ? {} : { signal: request.signal }),
      });
    } catch (cause) {
      throw this.#connectionError(cause, request);
    }
  }

  async #bodyOf(response: Response, request: Request): Promise<string> {
    try {
      return await response.text();
    } catch (cause) {
      throw this.#connectionError(cause, request);
    }
  }

  #connectionError(cause: unknown, { signal }: Request): unknown {
    return signal?.aborted ? signal.reason : new ConnectionError(this.#options.url, { cause });
  }

  #headers({ json, ndjson, ifMatch, headers }: Request): Record<string, string> {
    return {
      accept: 'application/json',
      ...(this.#seen === 0n ? {} : { [AT_LEAST_HEADER]: String(this.#seen) }),
      ...(this.#options.apiKey === undefined ? {} : { authorization: `Bearer ${this.#options.apiKey}` }),
      ...(json === undefined ? {} : { 'content-type': 'application/json' }),
      ...(ndjson === undefined ? {} : { 'content-type': 'application/x-ndjson' }),
      ...(ifMatch === undefined ? {} : { 'if-match': `"${ifMatch}"` }),
      ...headers,
    };
  }
}
