import type { Submission } from '@palimpsest/contracts/http';

/** The fields of an error response (RFC 9457) that could be read. */
export type Problem = Readonly<{
  status: number;
  code: string;
  title?: string;
  detail?: string;
  /** The path of the invalid input, and what was expected there. */
  field?: string;
  expected?: string;
  retryAfterSeconds?: number;
  /** For an upload that failed in the middle: the status of the files before the failure. Accepted files stay accepted. */
  documents?: readonly Submission[];
}>;

/** The server refused the request. `code` is stable; `status` is the HTTP status. */
export class ProblemError extends Error {
  readonly code: string;
  readonly status: number;
  readonly title: string | undefined;
  readonly detail: string;
  readonly field: string | undefined;
  readonly expected: string | undefined;
  readonly retryAfterSeconds: number | undefined;
  /** The address of the server, where it is known. */
  readonly url: string | undefined;
  readonly documents: readonly Submission[];

  constructor(problem: Problem, url?: string) {
    super(problem.detail ?? problem.title ?? `the server answered with status ${problem.status}`);
    this.name = 'ProblemError';
    this.code = problem.code;
    this.status = problem.status;
    this.title = problem.title;
    this.detail = this.message;
    this.field = problem.field;
    this.expected = problem.expected;
    this.retryAfterSeconds = problem.retryAfterSeconds;
    this.url = url;
    this.documents = problem.documents ?? [];
  }
}

/** There was no response: no server listens at the address, or the connection broke. */
export class ConnectionError extends Error {
  readonly code = 'ConnectionFailed';
  readonly url: string;

  constructor(url: string, options?: ErrorOptions) {
    super(`no server answers at ${url}`, options);
    this.name = 'ConnectionError';
    this.url = url;
  }
}

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
const number = (value: unknown): number | undefined => (typeof value === 'number' && value >= 0 ? value : undefined);

/** Reads the problem from the body of any response; a body that is not JSON becomes the detail. */
export const problemFrom = (status: number, body: string): Problem => {
  const fields = parseObject(body) ?? { detail: body.slice(0, 300).trim() || undefined };
  const known = {
    title: text(fields['title']),
    detail: text(fields['detail']),
    field: text(fields['field']),
    expected: text(fields['expected']),
    retryAfterSeconds: number(fields['retryAfterSeconds']),
    documents: Array.isArray(fields['documents']) ? (fields['documents'] as readonly Submission[]) : undefined,
  };
  const present = Object.fromEntries(Object.entries(known).filter(([, value]) => value !== undefined));
  return { status, code: text(fields['code']) ?? `Http${status}`, ...present };
};

const parseObject = (body: string): Record<string, unknown> | undefined => {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
};
