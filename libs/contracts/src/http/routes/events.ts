import { z } from 'zod';
import { wire } from '../../schemas/values.ts';
import { LISTED_EVENTS } from '../listed-events.ts';
import { lastEventId, limit, startAfter } from '../query-params.ts';
import { REQUEST_LIMITS } from '../request-limits.ts';
import { route } from '../route.ts';
import { eventPage, eventView } from '../views/events.ts';

const filters = {
  stream: z.string().min(1).max(400).exactOptional().describe('events of this stream'),
  type: z.array(z.enum(LISTED_EVENTS)).min(1).max(LISTED_EVENTS.length).exactOptional().describe('events of these types; can be repeated'),
  document: wire.documentId.exactOptional().describe('events of this document'),
  knowledgeBase: wire.knowledgeBaseId.exactOptional().describe('events of this knowledge base and its documents'),
  scope: wire.scope.exactOptional().describe('events of this scope'),
};

export const listEvents = route({
  id: 'Events.list',
  method: 'get',
  path: '/v1/events',
  service: 'query',
  tag: 'Events',
  summary: 'List the events of the caller’s tenant that the caller may see, newest first',
  description:
    'Readers see the events of their scopes, decrypted. Operators see that other events exist, without names or contents. A page may be short and still have a `next`. To miss no event, follow the live stream after `head`.',
  query: z.strictObject({
    ...filters,
    direction: z.enum(['backwards', 'forwards']).default('backwards').describe('backwards: newest first'),
    limit: limit(REQUEST_LIMITS.page.events, 50),
    cursor: z.string().max(40).exactOptional(),
  }),
  status: 200,
  response: eventPage,
  problems: ['NotFound'],
  example: { parameters: { type: ['DocumentIndexed'], limit: 1 } },
});

export const followEvents = route({
  id: 'Events.live',
  method: 'get',
  path: '/v1/events/live',
  service: 'query',
  tag: 'Events',
  summary: 'Stream events as server-sent events as they are recorded; resumes after Last-Event-ID',
  description:
    'Messages are named `event`. The `id` of each is its position: with `Last-Event-ID` or `after`, a new stream continues after it without a gap. The last message, `end`, holds the reason why the server ended the stream.',
  work: 'none',
  headers: lastEventId('event'),
  query: z.strictObject({ ...filters, ...startAfter }),
  status: 200,
  stream: 'text/event-stream',
  response: eventView,
  problems: ['NotFound', 'QuotaExceeded'],
  example: { parameters: { type: ['DocumentIndexed'], after: '0' } },
});

export const getEvent = route({
  id: 'Events.one',
  method: 'get',
  path: '/v1/events/{position}',
  service: 'query',
  tag: 'Events',
  summary: 'Get one event; its data is unsealed if the caller may read it',
  description: 'For an event that the caller may not see, the response is the same as for a position without an event.',
  params: z.object({ position: wire.position }),
  status: 200,
  response: eventView,
  example: { parameters: { position: '6' } },
});
