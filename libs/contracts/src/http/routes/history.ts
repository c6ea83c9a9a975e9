import { z } from 'zod';
import { wire } from '../../schemas/values.ts';
import { REQUEST_LIMITS } from '../request-limits.ts';
import { json, route } from '../route.ts';
import { historyStatus } from '../views/proofs.ts';

const params = z.object({ scope: wire.scope });
const parameters = { scope: 'team:people' };

export const removeHistory = route({
  id: 'History.remove',
  method: 'post',
  path: '/v1/scopes/{scope}/history-removal',
  service: 'reembedding',
  tag: 'Operation',
  summary: 'Remove what was replaced or deleted long ago from the log. It cannot be undone',
  description:
    'Removes the events and uploads of versions that were replaced, and of documents that were deleted, more than `keepDays` days ago. What searches find now stays, and earlier moments within these days can still be searched, to the last bit; earlier ones respond with 410 and the earliest position that can be answered. Responds when that has begun; the removal goes on in the background, also after a crash. A scope that is held keeps its history (409). A knowledge base can do the same each hour (`historyDays`).',
  role: 'admin',
  administration: true,
  rate: 'writes',
  idempotent: true,
  params,
  body: json(
    z.strictObject({
      keepDays: z.int().min(0).max(REQUEST_LIMITS.historyDays).describe('how many days of history stay; 0 for none'),
      knowledgeBase: wire.knowledgeBaseId.exactOptional().describe('only of documents of this knowledge base'),
    }),
  ),
  status: 202,
  response: historyStatus,
  problems: ['Conflict', 'NotFound'],
  example: { parameters, body: { 'application/json': { keepDays: 365 } } },
});

export const getHistory = route({
  id: 'History.get',
  method: 'get',
  path: '/v1/scopes/{scope}/history-removal',
  service: 'reembedding',
  tag: 'Operation',
  summary: 'How much of the history of a scope is on the log, and how far its removal is',
  description: 'Without a removal, `earliest` is 0: every moment since the scope exists can be searched.',
  role: 'reader',
  params,
  status: 200,
  response: historyStatus,
  problems: ['NotFound'],
  example: { parameters },
});
