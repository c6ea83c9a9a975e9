import { z } from 'zod';
import { wire } from '../../schemas/values.ts';
import { limit } from '../query-params.ts';
import { REQUEST_LIMITS } from '../request-limits.ts';
import { route } from '../route.ts';
import { deadLetterList, deadLetterQueued } from '../views/dead-letters.ts';
import { overviewView } from '../views/figures.ts';
import { generationRetired, reembedProgress, reembedStarted, statusView } from '../views/operations.ts';

export const getStatus = route({
  id: 'Status.status',
  method: 'get',
  path: '/v1/status',
  service: 'query',
  tag: 'Operation',
  summary:
    'Document counts and queue of the caller’s tenant, models and generations; for an operator those of the installation, with the log, the lag of each projection and the embedding cache',
  description:
    'Counts are those of the caller’s tenant, for an operator those of the installation. Scopes are those that the caller may read.',
  status: 200,
  response: statusView,
});

export const getOverview = route({
  id: 'Overview.overview',
  method: 'get',
  path: '/v1/overview',
  service: 'query',
  tag: 'Operation',
  summary:
    'Counts of the documents and chunks that the caller may read, with the figures of its tenant in the last 15 minutes; for an operator those of the installation',
  description: 'The data of the console’s overview page. Figures are those of the process that responds; it keeps them in memory only.',
  status: 200,
  response: overviewView,
});

const letter = z.object({ id: z.string() });

export const listDeadLetters = route({
  id: 'DeadLetters.list',
  method: 'get',
  path: '/v1/dead-letters',
  service: 'ingestion',
  tag: 'Operation',
  summary: 'List jobs that failed after all attempts, with the last error',
  description: 'Returns the failed jobs of all tenants, with ids and never with contents.',
  role: 'operator',
  query: z.strictObject({
    topic: z.string().min(1).max(200).exactOptional().describe('only dead letters of this topic'),
    limit: limit(REQUEST_LIMITS.page.deadLetters, 100).describe('maximum number of dead letters, oldest first'),
  }),
  status: 200,
  response: deadLetterList,
  example: { parameters: { limit: 10 } },
});

export const retryDeadLetter = route({
  id: 'DeadLetters.retry',
  method: 'post',
  path: '/v1/dead-letters/{id}/retry',
  service: 'ingestion',
  tag: 'Operation',
  summary: 'Queue a failed job again, with a new attempt count',
  description: 'Use it after the cause was fixed. A job that fails again becomes a dead letter again.',
  role: 'operator',
  administration: true,
  params: letter,
  status: 202,
  response: deadLetterQueued,
  example: { parameters: { id: '1' } },
});

export const discardDeadLetter = route({
  id: 'DeadLetters.discard',
  method: 'delete',
  path: '/v1/dead-letters/{id}',
  service: 'ingestion',
  tag: 'Operation',
  summary: 'Discard a failed job; its document does not change',
  description: 'Discarding cannot be undone. The document itself can be retried with `POST /v1/documents/{id}/retry`.',
  role: 'operator',
  administration: true,
  params: letter,
  status: 204,
  example: { parameters: { id: '2' } },
});

const params = z.object({ scope: wire.scope });
const scope = { scope: 'deployment' };

export const startReembedding = route({
  id: 'Reembedding.start',
  method: 'post',
  path: '/v1/scopes/{scope}/reembed',
  service: 'reembedding',
  tag: 'Operation',
  summary: 'Re-embed a scope with the current model. Searches use the old generation until the new one is complete.',
  description:
    'Searches use the vectors of the old model until every chunk has a vector of the new model. If the scope already uses the current model, nothing is done and the active generation is returned.',
  role: 'admin',
  administration: true,
  rate: 'writes',
  idempotent: true,
  params,
  status: 202,
  response: reembedStarted,
  problems: ['Conflict', 'NotCaughtUp'],
  example: { parameters: scope },
});

export const getReembedding = route({
  id: 'Reembedding.progress',
  method: 'get',
  path: '/v1/scopes/{scope}/reembed',
  service: 'reembedding',
  tag: 'Operation',
  summary: 'Get the progress of re-embedding, in chunks',
  description: 'Returns the generation that is being built, otherwise the active one.',
  role: 'reader',
  params,
  status: 200,
  response: reembedProgress,
  example: { parameters: scope },
});

export const retireGeneration = route({
  id: 'Reembedding.retire',
  method: 'post',
  path: '/v1/scopes/{scope}/generations/{generation}/retire',
  service: 'reembedding',
  tag: 'Operation',
  summary: 'Retire an inactive generation: delete its indexes and stop embedding for it',
  description: 'Until it is retired, a formerly active generation receives every new document, so that it can be activated again.',
  role: 'admin',
  administration: true,
  rate: 'writes',
  params: params.extend({ generation: wire.generationId }),
  status: 200,
  response: generationRetired,
  problems: ['Conflict'],
  example: { parameters: { ...scope, generation: 'g1' } },
});
