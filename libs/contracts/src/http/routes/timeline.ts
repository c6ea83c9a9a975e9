import { z } from 'zod';
import { wire } from '../../schemas/values.ts';
import { limit } from '../query-params.ts';
import { REQUEST_LIMITS } from '../request-limits.ts';
import { route } from '../route.ts';
import { timelinePage } from '../views/timeline.ts';

export const listTimeline = route({
  id: 'Timeline.list',
  method: 'get',
  path: '/v1/scopes/{scope}/timeline',
  // All paths below /v1/scopes belong to one service.
  service: 'reembedding',
  tag: 'Events',
  summary: 'List what arrived, changed and left in a scope, and which model served when, newest first',
  description:
    'Read from the event log. Each version of a document is one entry, however many chunk lists it has: a swap to another chunking changes no document. With `knowledgeBase`, only its documents and its own changes; entries of the model concern every knowledge base and are also listed. A page may be short and still have a `next`. A time is compared with the time at which each event was recorded.',
  role: 'reader',
  params: z.object({ scope: wire.scope }),
  query: z.strictObject({
    knowledgeBase: wire.knowledgeBaseId.exactOptional().describe('entries of this knowledge base and its documents'),
    after: wire.asOf.exactOptional().describe('only what happened after this: a position, or a time (RFC 3339)'),
    before: wire.asOf.exactOptional().describe('only what happened before this: a position, or a time (RFC 3339)'),
    limit: limit(REQUEST_LIMITS.page.events, 50),
    cursor: z.string().max(40).exactOptional(),
  }),
  status: 200,
  response: timelinePage,
  example: { parameters: { scope: 'deployment', limit: 3 } },
});
