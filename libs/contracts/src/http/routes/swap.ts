import { z } from 'zod';
import { CUTOVERS } from '@palimpsest/knowledge/evaluation';
import { asOfText } from '@palimpsest/knowledge/past';
import { wire } from '../../schemas/values.ts';
import { recipeFields } from '../recipe-fields.ts';
import { json, optionalJson, route } from '../route.ts';
import { evaluationStarted, evaluationView } from '../views/evaluations.ts';
import { swapChanged, swapList, swapView } from '../views/swaps.ts';

const params = z.object({ scope: wire.scope });
const parameters = { scope: 'deployment' };
const action = {
  method: 'post',
  service: 'reembedding',
  tag: 'Operation',
  role: 'admin',
  administration: true,
  rate: 'writes',
  params,
  response: swapChanged,
  problems: ['Conflict'],
} as const;

/** Positions, or times in RFC 3339. */
const pastQueries = z.strictObject({
  after: wire.asOf.transform(asOfText).exactOptional().describe('only queries that were recorded after this'),
  before: wire.asOf.transform(asOfText).exactOptional().describe('only queries that were recorded before this'),
});

export const startSwap = route({
  ...action,
  id: 'Swap.start',
  path: '/v1/scopes/{scope}/swap',
  summary: 'Start to move a scope to another model or chunking. Searches use the old generation until the cut-over.',
  description:
    'Builds a generation of the new model and chunking alongside the active one. New documents are written to both. If the scope already uses them, or is being moved to them in the same way, nothing changes.',
  idempotent: true,
  body: json(
    z.strictObject({
      ...recipeFields,
      cutover: z
        .enum(CUTOVERS)
        .exactOptional()
        .describe(
          '`automatic` (default): searches use the new generation once it is built. `manual`: they do so after the cut-over. `gate`: the built generation is evaluated, and searches use it if it is not worse; otherwise it waits for a person. `companion`: searches never use it alone. It is kept up to date, and its vectors rerank what the active generation finds, if the reranker of the installation is `companion`. A scope has at most one companion, with another model and the same chunks.',
        ),
      pastQueries: pastQueries
        .exactOptional()
        .describe('which past queries the gate asks; default: the newest ones. Only with the cut-over `gate`'),
      plan: wire.planId
        .exactOptional()
        .describe(
          'start exactly this plan; its model and cut-over need not be given. Refused if it was replaced or used, is too old, or the model or the scope changed since',
        ),
    }),
  ),
  status: 202,
  example: { parameters, body: { 'application/json': { cutover: 'manual' } } },
});

export const getSwap = route({
  id: 'Swap.get',
  method: 'get',
  path: '/v1/scopes/{scope}/swap',
  service: 'reembedding',
  tag: 'Operation',
  summary: 'Get the state and the progress of the swap of a scope',
  description: 'Returns the running swap, otherwise the latest one, and all generations of the scope.',
  role: 'reader',
  params,
  status: 200,
  response: swapView,
  example: { parameters },
});

export const listSwaps = route({
  id: 'Swap.list',
  method: 'get',
  path: '/v1/swaps',
  service: 'reembedding',
  tag: 'Operation',
  summary: 'List the scopes with more than one live generation',
  description:
    'The scopes of the caller’s tenant that it may read and that are being moved to another model, keep an earlier generation for a rollback, or have a companion.',
  role: 'reader',
  status: 200,
  response: swapList,
});

export const pauseSwap = route({
  ...action,
  id: 'Swap.pause',
  path: '/v1/scopes/{scope}/swap/pause',
  summary: 'Pause the swap of a scope',
  description: 'Takes effect within a second, after the batch that is being embedded. A paused swap stays paused across restarts.',
  body: json(z.strictObject({ reason: z.string().min(1).max(500).exactOptional().describe('shown with the status of the swap') })),
  status: 200,
  example: { parameters, body: { 'application/json': { reason: 'the endpoint is needed elsewhere' } } },
});

export const resumeSwap = route({
  ...action,
  id: 'Swap.resume',
  path: '/v1/scopes/{scope}/swap/resume',
  summary: 'Resume the paused swap of a scope',
  description: 'Continues where it was paused; nothing is embedded twice.',
  status: 200,
  example: { parameters },
});

export const cutOverSwap = route({
  ...action,
  id: 'Swap.cutover',
  path: '/v1/scopes/{scope}/swap/cutover',
  summary: 'Let searches use the new generation of a scope',
  description:
    'One event switches all searches. The generation must be complete (`ready`). Also activates a generation again that was rolled back. The previous generation is kept up to date until it is retired. A generation that was evaluated as worse is refused, unless `force` and a `reason` are given; the reason is recorded in the event and in the audit trail.',
  body: optionalJson(
    z.strictObject({
      force: z.boolean().exactOptional().describe('cut over although the latest evaluation found that the generation is worse'),
      reason: z.string().min(1).max(500).exactOptional().describe('why; needed with `force`'),
    }),
  ),
  status: 200,
  example: { parameters, body: { 'application/json': { force: true, reason: 'the old model is switched off today' } } },
});

const evaluationBody = optionalJson(
  z.strictObject({
    queries: z.number().int().min(1).max(10_000).exactOptional().describe('maximum number of queries of each kind; default: a setting'),
    seed: z.number().int().min(0).max(4_294_967_295).exactOptional().describe('of all samples; default: derived from the log'),
    synthetic: z.boolean().exactOptional().describe('use judged queries that a model wrote, too; default: false'),
    pastQueries: pastQueries.exactOptional().describe('which past queries to ask; default: those that the swap names, or else the newest'),
  }),
);

export const evaluateSwap = route({
  ...action,
  id: 'Swap.evaluate',
  path: '/v1/scopes/{scope}/swap/evaluate',
  summary: 'Compare the new generation of a scope with the active one, and record the verdict',
  description:
    'Evaluates the generation that waits for its cut-over, or else the one in standby: coverage, judged queries, passages of the scope as queries, latency, and a spot check of the vectors. Searches of the evaluation are in no record and count for no quota. Responds when the evaluation is complete, which takes about as long as its searches and embeddings. To evaluate in the background, use `POST …/swap/evaluation`. One evaluation of a tenant runs at a time in a process: another one is refused with 409. An evaluation ends with its process.',
  body: evaluationBody,
  status: 200,
  response: evaluationView,
  example: { parameters, body: { 'application/json': { seed: 1 } } },
});

export const startSwapEvaluation = route({
  ...action,
  id: 'Swap.startEvaluation',
  path: '/v1/scopes/{scope}/swap/evaluation',
  summary: 'Start to compare the new generation of a scope with the active one, in the background',
  description:
    'Responds at once. The status of the swap shows the progress as `evaluationRun`, and why the evaluation failed; the latest evaluation is the result once the run is complete. One evaluation of a tenant runs at a time in a process: another one is refused with 409. An evaluation ends with its process.',
  body: evaluationBody,
  status: 202,
  response: evaluationStarted,
  example: { parameters, body: { 'application/json': { seed: 1 } } },
});

export const getSwapEvaluation = route({
  id: 'Swap.evaluation',
  method: 'get',
  path: '/v1/scopes/{scope}/swap/evaluation',
  service: 'reembedding',
  tag: 'Operation',
  summary: 'Get the latest evaluation of a scope',
  description: 'Returns the verdict with its evidence, and the queries that got better and worse with the results of both sides.',
  role: 'reader',
  params,
  status: 200,
  response: evaluationView,
  example: { parameters },
});

export const rollBackSwap = route({
  ...action,
  id: 'Swap.rollback',
  path: '/v1/scopes/{scope}/swap/rollback',
  summary: 'Let searches use the previous generation of a scope again',
  description:
    'One event switches all searches. Documents that were written since the cut-over are found. Impossible once the previous generation is retired.',
  status: 200,
  example: { parameters },
});

export const cancelSwap = route({
  ...action,
  id: 'Swap.cancel',
  path: '/v1/scopes/{scope}/swap/cancel',
  summary: 'Cancel the swap of a scope before its cut-over: delete what was built',
  description: 'Searches do not change. Vectors that were computed stay on the log, so a later swap to the same model reuses them.',
  status: 200,
  example: { parameters },
});

export const retireSwap = route({
  ...action,
  id: 'Swap.retire',
  path: '/v1/scopes/{scope}/swap/retire',
  summary: 'Retire the generation in standby, or else the companion: delete its indexes and stop embedding for it',
  description:
    'Responds when its indexes are deleted, at most 10 s later, with the bytes that this freed. Afterwards it cannot be rolled back to. Its vectors stay on the log, so a swap to its model computes only what is missing.',
  body: json(
    z.strictObject({
      generation: wire.generationId
        .exactOptional()
        .describe('needed if several generations are in standby, or to retire the companion while one is'),
    }),
  ),
  status: 200,
  example: { parameters, body: { 'application/json': { generation: 'g4' } } },
});
