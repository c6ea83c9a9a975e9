import { z } from 'zod';
import { STRATEGIES } from '@palimpsest/knowledge/values';
import { wire } from '../../schemas/values.ts';
import { json, route } from '../route.ts';
import { knowledgeBaseStrategy } from '../views/strategies.ts';

const parameters = { id: 'handbook' };
const shared = {
  service: 'query',
  tag: 'Knowledge bases',
  params: z.object({ id: wire.knowledgeBaseId.describe('of the knowledge base') }),
  status: 200,
  response: knowledgeBaseStrategy,
} as const;
const change = { ...shared, role: 'admin', administration: true, rate: 'writes', problems: ['Conflict'] } as const;

export const getStrategy = route({
  ...shared,
  id: 'Strategy.get',
  method: 'get',
  path: '/v1/strategies/{id}',
  summary: 'Get the default strategy of a knowledge base, and its latest evaluation',
  description:
    'Searches that name no `strategy` use the default strategy of the knowledge bases that they search: `DenseSparseHybrid`, until another one is set. If these have different ones, they use `DenseSparseHybrid`, and the response says so.',
  role: 'reader',
  example: { parameters },
});

export const evaluateStrategy = route({
  ...change,
  id: 'Strategy.evaluate',
  method: 'post',
  path: '/v1/strategies/{id}/evaluate',
  summary: 'Compare a strategy with the one that searches of a knowledge base use by default, and record the verdict',
  description:
    'Searches the judged queries of its scope that have relevant documents in the knowledge base with both strategies, and decides as the gate of a swap does: not worse, worse or undecided. Searches of the evaluation are in no record and count for no quota. Responds when the evaluation is complete, which takes about as long as its searches. One evaluation of a tenant runs at a time in a process: another one is refused with 409. An evaluation ends with its process.',
  body: json(
    z.strictObject({
      strategy: z.enum(STRATEGIES),
      queries: z.number().int().min(1).max(10_000).exactOptional().describe('maximum number of queries; default: a setting'),
      seed: z.number().int().min(0).max(4_294_967_295).exactOptional().describe('of the sample of queries; default: derived from the log'),
      synthetic: z.boolean().exactOptional().describe('use judged queries that a model wrote, too; default: false'),
    }),
  ),
  example: { parameters, body: { 'application/json': { strategy: 'SparseOnly', seed: 1 } } },
});

export const setStrategy = route({
  ...change,
  id: 'Strategy.set',
  method: 'put',
  path: '/v1/strategies/{id}',
  summary: 'Set the strategy of searches of a knowledge base that name none',
  description:
    'One event switches all searches. A strategy is refused unless its latest evaluation found that it is not worse than the one in use, or `force` and a `reason` are given; the reason is recorded in the event and in the audit trail. `DenseSparseHybrid` is always accepted. A reranker is accepted with its version, its weight and the number of results that it scores: while an installation has another one, searches use `DenseSparseHybrid` and say so.',
  body: json(
    z.strictObject({
      strategy: z.enum(STRATEGIES),
      force: z.boolean().exactOptional().describe('although no evaluation found that it is not worse'),
      reason: z.string().min(1).max(500).exactOptional().describe('why; needed with `force`'),
    }),
  ),
  example: { parameters, body: { 'application/json': { strategy: 'DenseSparseHybrid' } } },
});
