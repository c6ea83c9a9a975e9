import { isProblemCode, PROBLEMS } from '@palimpsest/contracts/http';
import { IsolationBreach } from '@palimpsest/knowledge/access';
import {
  HistoryRemoved,
  InvalidValue,
  KnowledgeError,
  Overloaded,
  PartlyAccepted,
  QuotaExceeded,
  RateLimited,
  StoreRefused,
  Unavailable,
  type ReachedQuota,
} from '@palimpsest/knowledge/errors';
import { PartlyDone } from './http-errors.ts';

/** RFC 9457 problem details with a stable `code` and, for invalid input, the field and the expected value. */
export type Problem = Readonly<{
  type: string;
  title: string;
  status: number;
  detail: string;
  code: string;
  field?: string;
  expected?: string;
  retryAfterSeconds?: number;
  /** For a moment whose history was removed: the earliest position that can be answered. */
  earliest?: string;
  /** The quota that was reached, its limit and the current usage. */
  quota?: ReachedQuota;
  /** Documents that were accepted before the error, in the form of the normal response. */
  documents?: readonly unknown[];
}>;

/** Replaces messages that may name servers, files and streams. */
const NOT_AVAILABLE = 'A service that the platform depends on is temporarily unavailable. Try again in a few seconds.';

const RETRY_SECONDS: Readonly<Record<string, number>> = { NotCaughtUp: 1, Unavailable: 5 };

export const problem = (code: string, detail: string, more: Partial<Problem> = {}): Problem => {
  const [status, title] = PROBLEMS[isProblemCode(code) ? code : 'Internal'];
  return { type: `urn:palimpsest:problem:${code}`, title, status, detail, code, ...more };
};

/** Converts an error to a problem. Messages of unexpected errors are omitted, since they may contain document contents. */
export const problemOf = (error: unknown): Problem => {
  if (error instanceof PartlyDone) return { ...problemOf(error.cause), ...error.done };
  if (error instanceof PartlyAccepted) return problemOf(error.fault);
  if (error instanceof InvalidValue) return problem(error.code, error.message, { field: error.field, expected: error.expected });
  if (error instanceof QuotaExceeded) {
    const { retryAfterSeconds, quota } = error;
    return problem(error.code, error.message, { quota, ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }) });
  }
  if (error instanceof HistoryRemoved) return problem(error.code, error.message, { earliest: error.earliest });
  if (error instanceof Overloaded || error instanceof RateLimited)
    return problem(error.code, error.message, { retryAfterSeconds: error.retryAfterSeconds });
  if (error instanceof KnowledgeError) return ofPlatform(error);
  return fromFramework(error) ?? unexpected();
};

const ofPlatform = (error: KnowledgeError): Problem => {
  const retryAfterSeconds = RETRY_SECONDS[error.code];
  // The caller must not learn that the response contained data of others.
  if (error instanceof IsolationBreach) return unexpected();
  // The message names files and streams and belongs in the log.
  if (error.code === 'Corrupt' || error.code === 'WrongMasterKey') return problem('Corrupt', STORED_DAMAGE);
  if (error instanceof StoreRefused) return problem('Internal', STORE_REFUSED);
  // Errors with unknown codes are server errors: the details are only in the log.
  return isProblemCode(error.code)
    ? problem(
        error.code,
        error instanceof Unavailable && !error.forCallers ? NOT_AVAILABLE : error.message,
        retryAfterSeconds === undefined ? {} : { retryAfterSeconds },
      )
    : problem('Internal', `${error.code}; see the service log for details`);
};

const STORED_DAMAGE =
  'Stored data or an encryption key that this request needs is damaged or missing. Retrying does not help. Operators can find the cause with `palimpsest verify` and in the service log.';

const STORE_REFUSED =
  'A store that the platform depends on refused a request of the platform. Retrying does not help. Operators can find the cause in the service log.';

const unexpected = (): Problem => problem('Internal', 'unexpected error; see the service log for details');

type HttpLike = { statusCode?: number; getStatus?: () => number; message?: string; code?: string };

/** Errors that Nest or Fastify raise before our code runs. */
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
