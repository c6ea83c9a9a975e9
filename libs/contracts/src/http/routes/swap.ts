import { z } from 'zod';
import { wire } from '../../schemas/values.ts';
import { json, route } from '../route.ts';
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
const CUTOVER = ['automatic', 'manual'] as const;

export const startSwap = route({
  ...action,
  id: 'Swap.start',
  path: '/v1/scopes/{scope}/swap',
  summary: 'Start to move a scope to another model. Searches use the old generation until the cut-over.',
  description:
    'Builds a generation of the new model alongside the active one. New documents are written to both. If the scope already uses the model, or is being moved to it in the same way, nothing changes.',
  idempotent: true,
  body: json(
    z.strictObject({
      embeddingVersion: z
        .string()
        .max(200)
        .exactOptional()
        .describe('the new model, one of `models.available` of the status; default: the current model'),
      cutover: z
        .enum(CUTOVER)
        .exactOptional()
        .describe('`automatic` (default): searches use the new generation once it is built. `manual`: they do so after the cut-over.'),
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
    'The scopes of the caller’s tenant that it may read and that are being moved to another model, or keep an earlier generation for a rollback.',
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
    'One event switches all searches. The generation must be complete (`ready`). Also activates a generation again that was rolled back. The previous generation is kept up to date until it is retired.',
  status: 200,
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
  summary: 'Retire the generation in standby: delete its indexes and stop embedding for it',
  description: 'Afterwards it cannot be rolled back to. Its vectors stay on the log, so a swap to its model computes only what is missing.',
  body: json(z.strictObject({ generation: wire.generationId.exactOptional().describe('needed if several generations are in standby') })),
  status: 200,
  example: { parameters, body: { 'application/json': { generation: 'g4' } } },
});
