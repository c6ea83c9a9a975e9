import { z } from 'zod';
import { CUTOVERS } from '@palimpsest/knowledge/evaluation';
import { wire } from '../../schemas/values.ts';
import { recipeFields } from '../recipe-fields.ts';
import { json, optionalJson, route } from '../route.ts';
import { swapPlanChanged, swapPlanList, swapPlanTenants, swapPlanView } from '../views/swap-plans.ts';

const params = z.object({ scope: wire.scope });
const parameters = { scope: 'deployment' };
const version = {
  embeddingVersion: z.string().max(200).exactOptional().describe('the new model; default: the current model'),
};
const sample = (byDefault: number) =>
  z
    .number()
    .int()
    .min(0)
    .max(1_024)
    .exactOptional()
    .describe(`chunks that the new model embeds to measure its speed; they cost what their tokens cost; 0: none; default: ${byDefault}`);
const options = z.strictObject({
  ...recipeFields,
  cutover: z.enum(CUTOVERS).exactOptional().describe('as for a start; default: `automatic`'),
  sample: sample(64),
  seed: z.number().int().min(0).max(4_294_967_295).exactOptional().describe('of all samples; default: derived from the log'),
});
const action = {
  method: 'post',
  service: 'reembedding',
  tag: 'Operation',
  administration: true,
  rate: 'writes',
} as const;

export const planSwap = route({
  ...action,
  id: 'SwapPlan.create',
  path: '/v1/scopes/{scope}/swap/plan',
  summary: 'Plan the swap of a scope to another model or chunking: what it would take. Nothing is started.',
  description:
    'Counts documents, chunks and tokens, embeds a sample of chunks to measure the speed, and records the plan. `POST /v1/scopes/{scope}/swap` with `plan` starts exactly this. With another chunking, documents are chunked again to count what it gives: at most 100, for at most 20 seconds; the plan says whether that were all of them. Replaces the previous plan of the scope. Responds when the plan is complete.',
  role: 'admin',
  params,
  body: optionalJson(options),
  status: 200,
  response: swapPlanChanged,
  problems: ['Conflict', 'EmbeddingModelMismatch', 'ScopeKeyDestroyed', 'Unavailable'],
  example: { parameters, body: { 'application/json': { cutover: 'gate', seed: 1 } } },
});

export const getSwapPlan = route({
  id: 'SwapPlan.get',
  method: 'get',
  path: '/v1/scopes/{scope}/swap/plan',
  service: 'reembedding',
  tag: 'Operation',
  summary: 'Get the latest plan of a scope',
  description: 'Returns its figures, who made and approved it, and the generation that it started, if any.',
  role: 'admin',
  params,
  status: 200,
  response: swapPlanView,
  example: { parameters },
});

export const approveSwapPlan = route({
  ...action,
  id: 'SwapPlan.approve',
  path: '/v1/scopes/{scope}/swap/plan/approve',
  summary: 'Approve the latest plan of a scope',
  description:
    'The person who made the plan cannot approve it: neither with the same API key, nor with another key of the same user (403 `Forbidden`).',
  role: 'admin',
  idempotent: true,
  params,
  body: json(z.strictObject({ plan: wire.planId.describe('the plan that is approved; refused if a later one replaced it') })),
  status: 200,
  response: swapPlanChanged,
  problems: ['Conflict'],
  example: { parameters, body: { 'application/json': { plan: 'p1' } } },
});

export const planSwaps = route({
  ...action,
  id: 'SwapPlan.createAll',
  path: '/v1/swaps/plan',
  summary: 'Plan the swaps of all scopes that the caller may read',
  description:
    'Records a plan for each of these scopes, and adds them up. The speed of the model is measured once. Scopes that have the model, or are being moved, are listed with the reason.',
  role: 'admin',
  body: optionalJson(options),
  status: 200,
  response: swapPlanList,
  problems: ['Conflict', 'EmbeddingModelMismatch', 'ScopeKeyDestroyed', 'Unavailable'],
  example: { body: { 'application/json': { cutover: 'manual', seed: 1 } } },
});

export const planTenants = route({
  ...action,
  id: 'SwapPlan.tenants',
  path: '/v1/swaps/plan/tenants',
  summary: 'Estimate what it would take to move all scopes of all tenants to a model',
  description:
    'For operators: sums by tenant, without names of scopes. Counts a sample of the texts of each scope. Records nothing and starts nothing.',
  role: 'operator',
  body: optionalJson(z.strictObject({ ...version, sample: sample(0) })),
  status: 200,
  response: swapPlanTenants,
  problems: ['Conflict', 'EmbeddingModelMismatch', 'Unavailable'],
  example: { body: { 'application/json': {} } },
});
