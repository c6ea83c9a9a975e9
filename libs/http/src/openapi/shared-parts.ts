import type { JsonSchema, RouteContract } from '@palimpsest/contracts/http';
import { PATTERNS } from '@palimpsest/knowledge/texts';
import { MAX_WAIT_MS } from '../at-least/position-gate.ts';
import { AT_LEAST_HEADER, POSITION_HEADER } from '../positions.ts';
import { MAX_REQUEST_ID, REQUEST_ID } from '../request-id.ts';

const POSITION = { type: 'string', pattern: PATTERNS.position };

/** Headers that every request may have. */
export const PARAMETERS: Readonly<Record<string, JsonSchema>> = {
  RequestId: {
    name: 'x-request-id',
    in: 'header',
    required: false,
    schema: { type: 'string' },
    description: `id of the request, in the service’s log and as correlation id of the events that it causes: up to ${MAX_REQUEST_ID} letters, digits and \`._-\`. Any other value is replaced by a new id`,
  },
  AtLeast: {
    name: AT_LEAST_HEADER,
    in: 'header',
    required: false,
    schema: POSITION,
    description: `a position from an earlier response: the server waits for at most ${MAX_WAIT_MS / 1_000} seconds until its read models have reached it`,
  },
};

/** Headers of responses. */
export const HEADERS: Readonly<Record<string, JsonSchema>> = {
  RequestId: {
    description: 'id of the request, or a new id if the request had none',
    required: true,
    schema: { type: 'string', pattern: REQUEST_ID.source },
    example: 'b5b2f6b0-8d0c-4a44-9c9c-0a4c1f1b6a53',
  },
  Position: { description: 'position of the read models that were used for the response', schema: POSITION, example: '42' },
  RetryAfter: { description: 'seconds after which the same request may succeed', schema: { type: 'integer', minimum: 0 }, example: 5 },
  RateLimitPolicy: {
    description: 'the rate limits that apply to the request: `q` requests in `w` seconds. Missing if there are none',
    schema: { type: 'string' },
    example: '"search";q=10;w=2',
  },
  RateLimit: {
    description: 'the remaining requests within these limits: `r` requests for the next `t` seconds',
    schema: { type: 'string' },
    example: '"search";r=9;t=2',
  },
  WwwAuthenticate: {
    description: 'the supported authentication scheme',
    required: true,
    schema: { type: 'string', enum: ['Bearer'] },
    example: 'Bearer',
  },
};

export const componentRef = (kind: 'parameters' | 'headers' | 'schemas' | 'examples', name: string): JsonSchema => ({
  $ref: `#/components/${kind}/${name}`,
});

/** The headers of a response with this status, by name. */
export const headersOf = (contract: RouteContract, status: number): JsonSchema => {
  const header = (name: string): JsonSchema => componentRef('headers', name);
  return {
    'x-request-id': header('RequestId'),
    ...(contract.public !== true && status !== 401
      ? { [POSITION_HEADER]: header('Position'), 'ratelimit-policy': header('RateLimitPolicy'), ratelimit: header('RateLimit') }
      : {}),
    ...(status === 401 ? { 'www-authenticate': header('WwwAuthenticate') } : {}),
    ...(status === 429 || status === 503 ? { 'retry-after': header('RetryAfter') } : {}),
  };
};

/** The schema of a text that contains many JSON values of one schema. */
export const itemsOf = (type: string, schema: JsonSchema): JsonSchema => ({
  type: 'string',
  description:
    type === 'text/event-stream'
      ? 'server-sent events. The schema describes the `data` of each message except `end`'
      : 'lines of JSON. The schema describes one line',
  contentMediaType: 'application/json',
  contentSchema: schema,
});
