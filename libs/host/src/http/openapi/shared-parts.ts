import { AT_LEAST_HEADER, POSITION_HEADER } from '../positions.ts';
import type { JsonSchema } from './answer-schemas.ts';

const POSITION = { type: 'string', pattern: '^(0|[1-9][0-9]{0,19})$' };

/** Headers that any request may have. */
export const PARAMETERS: Readonly<Record<string, JsonSchema>> = {
  RequestId: {
    name: 'x-request-id', in: 'header', required: false, schema: { type: 'string' },
    description: 'up to 100 letters, digits, `._-`: an id for the log, and for each event that follows from the request; another value is replaced by a new id',
  },
  AtLeast: {
    name: AT_LEAST_HEADER, in: 'header', required: false, schema: POSITION,
    description: 'a position that an earlier answer told: wait, for at most 10 seconds, until the answer is at least as new',
  },
};

/** Headers of answers. */
export const HEADERS: Readonly<Record<string, JsonSchema>> = {
  RequestId: { description: 'of the request, or a new one', required: true, schema: { type: 'string', pattern: '^[A-Za-z0-9._-]{1,100}$' }, example: 'b5b2f6b0-8d0c-4a44-9c9c-0a4c1f1b6a53' },
  Position: { description: 'how far the read models were that answered', schema: POSITION, example: '42' },
  RetryAfter: { description: 'seconds after which the same call may succeed', schema: { type: 'integer', minimum: 0 }, example: 5 },
  RateLimitPolicy: { description: 'the rates that the request counted in: `q` requests in `w` seconds; missing where the tenant has none', schema: { type: 'string' }, example: '"search";q=10;w=2' },
  RateLimit: { description: 'what is left of them: `r` requests for the next `t` seconds', schema: { type: 'string' }, example: '"search";r=9;t=2' },
  WwwAuthenticate: { description: 'the scheme that is understood', required: true, schema: { type: 'string', enum: ['Bearer'] }, example: 'Bearer' },
};

export const parameter = (name: keyof typeof PARAMETERS): JsonSchema => ({ $ref: `#/components/parameters/${name}` });

/** Of an answer with this status, by the name on the wire. */
export const headersOf = (path: string, status: number): JsonSchema => {
  const header = (name: string): JsonSchema => ({ $ref: `#/components/headers/${name}` });
  return {
    'x-request-id': header('RequestId'),
    ...(path.startsWith('/v1/') && status !== 401 ? { [POSITION_HEADER]: header('Position'), 'ratelimit-policy': header('RateLimitPolicy'), ratelimit: header('RateLimit') } : {}),
    ...(status === 401 ? { 'www-authenticate': header('WwwAuthenticate') } : {}),
    ...(status === 429 || status === 503 ? { 'retry-after': header('RetryAfter') } : {}),
  };
};

/** A text of many JSON values, each of which has the schema. */
export const itemsOf = (type: string, schema: JsonSchema): JsonSchema => ({
  type: 'string',
  description: type === 'text/event-stream' ? 'server-sent events; the schema is that of the `data` of each message but `end`' : 'lines of JSON; the schema is that of each',
  contentMediaType: 'application/json',
  contentSchema: schema,
});
