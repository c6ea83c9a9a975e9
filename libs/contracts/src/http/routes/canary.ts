import { z } from 'zod';
import { CANARY_BOUNDS } from '@palimpsest/knowledge/canary';
import { wire } from '../../schemas/values.ts';
import { json, route } from '../route.ts';
import { canaryView } from '../views/canaries.ts';
import { swapChanged } from '../views/swaps.ts';

const params = z.object({ scope: wire.scope });
const shared = {
  path: '/v1/scopes/{scope}/swap/canary',
  service: 'reembedding',
  tag: 'Operation',
  params,
  status: 200,
  example: { parameters: { scope: 'deployment' } },
} as const;
const within = ([from, to]: readonly [number, number]) => z.number().min(from).max(to);

export const startCanary = route({
  ...shared,
  id: 'Swap.startCanary',
  method: 'post',
  role: 'admin',
  administration: true,
  rate: 'writes',
  summary: 'Let the new generation of a scope serve a share of the callers',
  description:
    'The generation must be built. A caller is a conversation if the search names one, else the user of the API key, else the key; it stays on its side, and a larger share keeps those who are in. A canary that runs gets the new share and thresholds, and its comparison starts again. The callers are returned automatically if the new generation serves them worse than the thresholds permit.',
  idempotent: true,
  body: json(
    z.strictObject({
      share: z.number().min(0).max(100).describe('percent of the callers'),
      thresholds: z
        .strictObject({
          emptyShare: within(CANARY_BOUNDS.emptyShare)
            .exactOptional()
            .describe('by how much the share of empty answers may be higher; default: 0.05'),
          slowdown: within(CANARY_BOUNDS.slowdown).exactOptional().describe('how many times as long an answer may take; default: 1.5'),
          scoreDrop: within(CANARY_BOUNDS.scoreDrop)
            .exactOptional()
            .describe('which part of the mean standard score of the best result may be lost; default: 0.5'),
          agreementDrop: within(CANARY_BOUNDS.agreementDrop)
            .exactOptional()
            .describe('which part of the agreement of vectors and words may be lost; default: 0.5'),
        })
        .exactOptional(),
      force: z.boolean().exactOptional().describe('although the latest evaluation found that the generation is worse'),
      reason: z.string().min(1).max(500).exactOptional().describe('why; needed with `force`'),
    }),
  ),
  response: swapChanged,
  problems: ['Conflict', 'ScopeKeyDestroyed'],
  example: {
    parameters: { scope: 'deployment' },
    body: { 'application/json': { share: 5, thresholds: { slowdown: 2 }, force: true, reason: 'the judged queries are out of date' } },
  },
});

export const stopCanary = route({
  ...shared,
  id: 'Swap.stopCanary',
  method: 'delete',
  role: 'admin',
  administration: true,
  rate: 'writes',
  summary: 'Return the callers of a canary to the active generation',
  description: 'Nothing happens if the canary has ended already; the status says why. The new generation stays built.',
  response: swapChanged,
  problems: ['Conflict'],
});

export const getCanary = route({
  ...shared,
  id: 'Swap.canary',
  method: 'get',
  role: 'reader',
  summary: 'Get the latest canary of a scope, with both sides',
  description: 'While it runs, `comparison` contains what was recorded about the queries of both sides so far.',
  response: canaryView,
});
