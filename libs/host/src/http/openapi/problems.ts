import { problem, type Problem } from '@palimpsest/runtime';
import type { JsonSchema } from './answer-schemas.ts';

/** Of each code: a detail as callers get it, and what comes with it. */
const EXAMPLES: Readonly<Record<string, readonly [detail: string, more?: Partial<Problem>]>> = {
  InvalidValue: ['topK: expected a number of at least 1, got 0', { field: 'topK', expected: 'a number of at least 1' }],
  Unauthenticated: ['the header "Authorization: Bearer <API key>" is missing'],
  Forbidden: ['this needs the role "writer"; the key has reader'],
  NotFound: ['no document "00000000000000000000000000000000"'],
  Conflict: ['the document is at version 4, not 3'],
  TooLarge: ['the body may have at most 64 KiB'],
  RequestTimeout: ['the request line and the header fields did not arrive in time'],
  MisdirectedRequest: ['"evil.example" is not a name of this server; an operator adds names with PALIMPSEST_ALLOWED_HOSTS'],
  HeadersTooLarge: ['the request line and the header fields together are larger than 16 KiB'],
  UnsupportedMediaType: ['the body has the Content-Type "text/plain", and this route reads application/json'],
  EmbeddingModelMismatch: ['vectors of onnx:all-MiniLM-L6-v2/384 are needed, but only openai:text-embedding-3-small/1536 can be computed here'],
  Overloaded: ['too many documents are waiting to be indexed', { retryAfterSeconds: 12 }],
  NotCaughtUp: ['the read models are at position 40, not at 42 yet', { retryAfterSeconds: 1 }],
  Unavailable: ['the read models are catching up with the log', { retryAfterSeconds: 5 }],
  QuotaExceeded: ['this tenant allows 1000 documents; 1000 are used, and 1 more was asked for', { quota: { limit: 'documents', allowed: 1_000, used: 1_000 } }],
  RateLimited: ['searches: 10 in 2 seconds are allowed', { retryAfterSeconds: 2 }],
  ScopeKeyDestroyed: ['the key of this scope was destroyed'],
  Corrupt: ['data or a key that this request needs is damaged or missing; sending it again does not help. An operator finds what it is with `palimpsest verify`, and in the log of the service'],
  Internal: ['an unexpected fault; the service’s log says more'],
};

export const exampleOf = (code: string): Problem => {
  const [detail = '', more] = EXAMPLES[code] ?? [];
  return problem(code, detail, more);
};

/** What all problems have. */
const PROBLEM: JsonSchema = {
  type: 'object',
  description: 'RFC 9457 problem details',
  required: ['type', 'title', 'status', 'detail', 'code'],
  properties: {
    type: { type: 'string', description: 'urn:palimpsest:problem:<code>' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string', description: 'one sentence for people' },
    code: { type: 'string', description: 'stable, for programs' },
    field: { type: 'string', description: 'of a value that is not valid: where it stands' },
    expected: { type: 'string', description: 'of a value that is not valid: what would be' },
    retryAfterSeconds: { type: 'integer', minimum: 0, description: 'the same call may succeed after so many seconds' },
    documents: { type: 'array', items: { type: 'object' }, description: 'of a form or an import that went wrong in the middle: what became of the documents before, as the answer would have listed it; those that are accepted stay accepted' },
    position: { $ref: '#/components/schemas/Position' },
    quota: { type: 'object', description: 'of a quota that is reached: which one, what it allows, what is used of it, and the tenant’s tier' },
  },
};

export const problemName = (code: string): string => `${code}Problem`;

/** One of a code, with its type and status. */
const ofCode = (code: string): JsonSchema => {
  const { type, status, title } = problem(code, '');
  const properties = { type: { const: type }, status: { const: status }, code: { const: code } };
  return { description: title, allOf: [{ $ref: '#/components/schemas/Problem' }], properties };
};

export const problemSchemas = (codes: readonly string[]): Readonly<Record<string, JsonSchema>> => ({
  Problem: PROBLEM,
  ...Object.fromEntries(codes.map((code) => [problemName(code), ofCode(code)])),
});
