import { InvalidValue, IsolationBreach, KnowledgeError, Overloaded, QuotaExceeded, RateLimited, Unavailable, type ReachedQuota } from '@palimpsest/knowledge';
import { PartlyDone } from './http-errors.ts';

/** RFC 9457 problem details, with our stable `code` and, for wrong input, the field and what was expected of it. */
export type Problem = Readonly<{
  type: string;
  title: string;
  status: number;
  detail: string;
  code: string;
  field?: string;
  expected?: string;
  retryAfterSeconds?: number;
  /** Of a quota: which one it is, what it allows and what is used of it. */
  quota?: ReachedQuota;
  /** What was accepted before the fault, as the answer would have listed it. */
  documents?: readonly unknown[];
}>;

const KINDS: Readonly<Record<string, readonly [status: number, title: string]>> = {
  InvalidValue: [400, 'The request is not valid'],
  Unauthenticated: [401, 'An API key is needed'],
  Forbidden: [403, 'The API key does not allow this'],
  NotFound: [404, 'There is no such thing'],
  MethodNotAllowed: [405, 'The method does not fit'],
  Conflict: [409, 'It was changed in between, or is there already'],
  TooLarge: [413, 'The request is too large'],
  UnsupportedMediaType: [415, 'The content type is not understood'],
  RequestTimeout: [408, 'The request did not arrive in time'],
  MisdirectedRequest: [421, 'The host name is not served here'],
  HeadersTooLarge: [431, 'The header fields are too large'],
  EmbeddingModelMismatch: [409, 'The embedding model does not fit'],
  QuotaExceeded: [403, 'The tenant has all that it may have'],
  Overloaded: [429, 'Too much work is waiting'],
  RateLimited: [429, 'Too many requests'],
  NotCaughtUp: [503, 'The read models are not that far yet'],
  Unavailable: [503, 'Something that is needed does not answer'],
  ScopeKeyDestroyed: [410, 'This scope was erased'],
  Corrupt: [500, 'Stored data is damaged'],
  Internal: [500, 'Something went wrong here'],
};

/** The message of such a fault may name servers, files and streams. */
const NOT_AVAILABLE = 'Something that the platform depends on is not available at the moment. Try again in a few seconds.';

const RETRY_SECONDS: Readonly<Record<string, number>> = { NotCaughtUp: 1, Unavailable: 5 };

export const problem = (code: string, detail: string, more: Partial<Problem> = {}): Problem => {
  const [status, title] = KINDS[code] ?? KINDS['Internal'] ?? [500, code];
  return { type: `urn:palimpsest:problem:${code}`, title, status, detail, code, ...more };
};

/** A fault as the caller may see it: what we did not foresee is told without its message, which may hold contents. */
export const problemOf = (error: unknown): Problem => {
  if (error instanceof PartlyDone) return { ...problemOf(error.cause), ...error.done };
  if (error instanceof InvalidValue) return problem(error.code, error.message, { field: error.field, expected: error.expected });
  if (error instanceof QuotaExceeded) {
    const { retryAfterSeconds, quota } = error;
    return problem(error.code, error.message, { quota, ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }) });
  }
  if (error instanceof Overloaded || error instanceof RateLimited) return problem(error.code, error.message, { retryAfterSeconds: error.retryAfterSeconds });
  if (error instanceof KnowledgeError) {
    const retryAfterSeconds = RETRY_SECONDS[error.code];
    // Whoever was about to be shown what is not theirs does not learn that it was.
    if (error instanceof IsolationBreach) return unforeseen();
    // Its message names files and streams, which are for the log.
    if (error.code === 'Corrupt' || error.code === 'WrongMasterKey') return problem('Corrupt', STORED_DAMAGE);
    // What else is ours to mend: the caller learns that it happened, the log learns the rest.
    return error.code in KINDS
      ? problem(error.code, error instanceof Unavailable && !error.forCallers ? NOT_AVAILABLE : error.message, retryAfterSeconds === undefined ? {} : { retryAfterSeconds })
      : problem('Internal', `${error.code}; the service's log says more`);
  }
  return fromFramework(error) ?? unforeseen();
};

const STORED_DAMAGE = 'data or a key that this request needs is damaged or missing; sending it again does not help. An operator finds what it is with `palimpsest verify`, and in the log of the service';

const unforeseen = (): Problem => problem('Internal', 'an unexpected fault; the service’s log says more');

type HttpLike = { statusCode?: number; getStatus?: () => number; message?: string; code?: string };

/** Faults that Nest or Fastify raise before our code runs. */
const fromFramework = (error: unknown): Problem | undefined => {
  const { statusCode, getStatus, message = '', code } = (error ?? {}) as HttpLike;
  const status = typeof getStatus === 'function' ? getStatus.call(error) : statusCode;
  if (status === undefined || status >= 500) return undefined;
  if (status === 404) return problem('NotFound', message);
  if (status === 408) return problem('RequestTimeout', message);
  if (status === 413) return problem('TooLarge', message);
  if (status === 415) return problem('UnsupportedMediaType', message);
  const field = code === 'FST_ERR_CTP_EMPTY_JSON_BODY' || /JSON/i.test(message) ? 'body' : undefined;
  return problem('InvalidValue', message, field === undefined ? { status } : { status, field, expected: 'valid JSON' });
};
