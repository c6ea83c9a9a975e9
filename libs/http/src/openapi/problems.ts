import type { JsonSchema } from '@palimpsest/contracts/http';
import { problem, type Problem } from '../problems/problem.ts';

/** For each code: a typical detail, and further fields. */
const EXAMPLES: Readonly<Record<string, readonly [detail: string, more?: Partial<Problem>]>> = {
  InvalidValue: ['topK: expected a number of at least 1, got 0', { field: 'topK', expected: 'a number of at least 1' }],
  Unauthenticated: ['the header "Authorization: Bearer <API key>" is missing'],
  Forbidden: ['this operation requires the role "writer"; the API key has reader'],
  NotFound: ['document "00000000000000000000000000000000" not found'],
  Conflict: ['the document is at version 4, not 3: it was changed by another request'],
  TooLarge: ['the body must not exceed 64 KiB'],
  RequestTimeout: ['the request line and the header fields did not arrive in time'],
  MisdirectedRequest: ['"evil.example" is not a name of this server; an operator can add names with PALIMPSEST_ALLOWED_HOSTS'],
  HeadersTooLarge: ['the request line and the header fields together are larger than 16 KiB'],
  UnsupportedMediaType: ['the body has the Content-Type "text/plain", but this route reads application/json'],
  EmbeddingModelMismatch: [
    'embedding version onnx:all-MiniLM-L6-v2/384 is required, but only openai:text-embedding-3-small/1536 is configured',
  ],
  Overloaded: ['too many documents are waiting to be indexed', { retryAfterSeconds: 12 }],
  NotCaughtUp: ['the read models are at position 40, not at 42 yet', { retryAfterSeconds: 1 }],
  Unavailable: ['the read models are catching up with the log', { retryAfterSeconds: 5 }],
  QuotaExceeded: [
    'this tenant allows 1000 documents: 1000 used, 1 more requested',
    { quota: { limit: 'documents', allowed: 1_000, used: 1_000 } },
  ],
  RateLimited: ['rate limit exceeded: 10 searches per 2 s for this tenant; retry in 2 s', { retryAfterSeconds: 2 }],
  HistoryRemoved: [
    'the history of scope "team:legal" at position 40 was removed (event at position 812); the earliest position that can be answered is 96',
    { earliest: '96' },
  ],
  ScopeKeyDestroyed: ['the key of this scope was destroyed'],
  Corrupt: [
    'Stored data or an encryption key that this request needs is damaged or missing. Retrying does not help. Operators can find the cause with `palimpsest verify` and in the service log.',
  ],
  Internal: ['unexpected error; see the service log for details'],
};

export const exampleOf = (code: string): Problem => {
  const [detail = '', more] = EXAMPLES[code] ?? [];
  return problem(code, detail, more);
};

/** The fields of all problems. */
const PROBLEM: JsonSchema = {
  type: 'object',
  description: 'RFC 9457 problem details',
  required: ['type', 'title', 'status', 'detail', 'code'],
  properties: {
    type: { type: 'string', description: 'urn:palimpsest:problem:<code>' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string', description: 'explains the problem in one sentence' },
    code: { type: 'string', description: 'a stable code for programs' },
    field: { type: 'string', description: 'for an invalid value: its path in the request' },
    expected: { type: 'string', description: 'for an invalid value: what was expected' },
    retryAfterSeconds: { type: 'integer', minimum: 0, description: 'number of seconds after which the same request may succeed' },
    documents: {
      type: 'array',
      items: { type: 'object' },
      description:
        'for a form or an import that failed in the middle: the status of the documents before the failure, as in a successful response. Accepted documents stay accepted',
    },
    position: { $ref: '#/components/schemas/Position' },
    earliest: { type: 'string', description: 'for a moment whose history was removed: the earliest position that can be answered' },
    quota: { type: 'object', description: 'for an exceeded quota: its name, the limit, the current usage, and the tenant’s tier' },
  },
};

export const problemName = (code: string): string => `${code}Problem`;

/** The schema of problems with one code. */
const ofCode = (code: string): JsonSchema => {
  const { type, status, title } = problem(code, '');
  const properties = { type: { const: type }, status: { const: status }, code: { const: code } };
  return { description: title, allOf: [{ $ref: '#/components/schemas/Problem' }], properties };
};

export const problemSchemas = (codes: readonly string[]): Readonly<Record<string, JsonSchema>> => ({
  Problem: PROBLEM,
  ...Object.fromEntries(codes.map((code) => [problemName(code), ofCode(code)])),
});
