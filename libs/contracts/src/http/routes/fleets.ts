import { z } from 'zod';
import { FLEET_LIMITS } from '@palimpsest/knowledge/fleet';
import { wire } from '../../schemas/values.ts';
import { recipeFields } from '../recipe-fields.ts';
import { json, optionalJson, route } from '../route.ts';
import { fleetChanged, fleetList, fleetPlanChanged, fleetPlanView, fleetView } from '../views/fleets.ts';

const params = z.object({ id: wire.fleetId });
const parameters = { id: '4f1c09ab77de' };
const common = { service: 'reembedding', tag: 'Fleets', role: 'admin', orRole: 'operator' } as const;
const change = {
  ...common,
  method: 'post',
  administration: true,
  rate: 'writes',
  response: fleetChanged,
  problems: ['Conflict'],
} as const;
const action = { ...change, params, status: 200, example: { parameters } } as const;

const percent = z.number().min(0).max(100);

const fleetFields = {
  chunking: recipeFields.chunking,
  embeddingVersion: z.string().max(200).exactOptional().describe('the new model; default: the current model'),
  allTenants: z.boolean().exactOptional().describe('the scopes of all tenants; operators only'),
  canary: z
    .array(z.strictObject({ tenant: wire.tenantId.exactOptional().describe('default: that of the key'), scope: wire.scope }))
    .max(FLEET_LIMITS.canary)
    .exactOptional()
    .describe('scopes of a first wave'),
  percents: z
    .array(z.number().gt(0).max(100))
    .min(1)
    .max(FLEET_LIMITS.waves)
    .exactOptional()
    .describe('the further waves: the share of all scopes that is reached with each; rising, the last one 100; default: 1, 10, 100'),
  worsePercent: percent.exactOptional().describe('stop if more than this share of the scopes of a wave was evaluated as worse; default: 0'),
  faults: z
    .number()
    .int()
    .min(0)
    .max(1_000_000)
    .exactOptional()
    .describe('stop if the model or a store failed for more than this number of scopes of a wave; default: 0'),
  undecided: z
    .enum(['wait', 'cut-over'])
    .exactOptional()
    .describe('scopes whose evaluation is undecided, such as all with few chunks: leave them to a person (default), or cut over'),
  advance: z.enum(['manual', 'automatic']).exactOptional().describe('after each wave: wait for a person (default), or go on'),
  scopesAtOnce: z.number().int().min(1).max(FLEET_LIMITS.scopesAtOnce).exactOptional().describe('swaps at the same time; default: 4'),
  seed: z.number().int().min(0).max(4_294_967_295).exactOptional().describe('of the order of the scopes; default: derived from the id'),
};

export const startFleet = route({
  ...change,
  id: 'Fleets.start',
  path: '/v1/fleets',
  summary: 'Start to move all scopes of the tenant, or of all tenants, to another model in waves',
  description:
    'An admin moves the scopes of its tenant, an operator with `allTenants` those of all tenants. Each scope gets a swap with a gate: its new generation is evaluated, and searches use it if it is not worse. The order of the scopes follows from `seed` and their names, so it does not depend on when they were created. A scope without chunks is cut over without an evaluation.',
  body: json(
    z.strictObject({
      ...fleetFields,
      plan: wire.fleetId
        .exactOptional()
        .describe(
          'start exactly this plan; other fields need not be given. Refused if it was used, is too old, or the model or the scopes changed since',
        ),
    }),
  ),
  status: 202,
  problems: ['Conflict', 'NotFound'],
  example: { body: { 'application/json': { percents: [10, 100], worsePercent: 5, advance: 'manual' } } },
});

export const planFleet = route({
  ...change,
  id: 'FleetPlan.create',
  path: '/v1/fleets/plan',
  summary: 'Plan a fleet: what it would take to move all scopes of the tenant, or of all tenants. Nothing is started.',
  description:
    'Has the same fields as a start. Counts documents, chunks and a sample of the tokens of each scope, and records the sums by tenant as a plan. Names and texts of scopes are in no plan. `POST /v1/fleets` with `plan` starts exactly this. Responds when the plan is complete.',
  body: optionalJson(
    z.strictObject({
      ...fleetFields,
      sample: z
        .number()
        .int()
        .min(0)
        .max(1_024)
        .exactOptional()
        .describe(
          'chunks that the new model embeds to measure its speed; they cost what their tokens cost; default: 64, with `allTenants` 0, since texts of tenants would be sent to a model that none of them uses yet',
        ),
    }),
  ),
  status: 200,
  response: fleetPlanChanged,
  problems: ['Conflict', 'EmbeddingModelMismatch', 'NotFound', 'Unavailable'],
  example: { body: { 'application/json': { percents: [100], undecided: 'cut-over', sample: 0, seed: 1 } } },
});

export const getFleetPlan = route({
  ...common,
  id: 'FleetPlan.get',
  method: 'get',
  path: '/v1/fleets/{id}/plan',
  summary: 'Get the plan of a fleet',
  description: 'Returns its figures, who made and approved it, and when it was started, if it was.',
  params,
  status: 200,
  response: fleetPlanView,
  example: { parameters },
});

export const approveFleetPlan = route({
  ...change,
  id: 'FleetPlan.approve',
  path: '/v1/fleets/{id}/plan/approve',
  summary: 'Approve the plan of a fleet',
  description:
    'The person who made the plan cannot approve it: neither with the same API key, nor with another key of the same user (403 `Forbidden`).',
  idempotent: true,
  params,
  status: 200,
  response: fleetPlanChanged,
  example: { parameters },
});

export const listFleets = route({
  ...common,
  id: 'Fleets.list',
  method: 'get',
  path: '/v1/fleets',
  summary: 'List fleets, the newest first',
  description: 'An admin sees the fleets of its tenant, an operator all. Plans that are not started are listed next to them.',
  status: 200,
  response: fleetList,
});

export const getFleet = route({
  ...common,
  id: 'Fleets.get',
  method: 'get',
  path: '/v1/fleets/{id}',
  summary: 'Get the state of a fleet: its waves, and the scopes that need attention',
  description: 'Counts come from events of the scopes. Scopes that the key may not read have no name.',
  params,
  status: 200,
  response: fleetView,
  example: { parameters },
});

export const pauseFleet = route({
  ...action,
  id: 'Fleets.pause',
  path: '/v1/fleets/{id}/pause',
  summary: 'Pause a fleet: start no further swap, and pause those that are being built',
  description: 'An evaluation that is running ends, and may still cut its scope over.',
  body: json(z.strictObject({ reason: z.string().min(1).max(FLEET_LIMITS.reason).exactOptional().describe('shown with the fleet') })),
  example: { parameters, body: { 'application/json': { reason: 'the endpoint is needed elsewhere' } } },
});

export const resumeFleet = route({
  ...action,
  id: 'Fleets.resume',
  path: '/v1/fleets/{id}/resume',
  summary: 'Resume a paused fleet',
  description: 'Resumes the swaps that the fleet paused, and those that failed. The rule applies to the wave again.',
});

export const continueFleet = route({
  ...action,
  id: 'Fleets.continue',
  path: '/v1/fleets/{id}/continue',
  summary: 'Start the next wave of a fleet',
  description:
    'After a stop by the rule, accepts the outcome of the wave: the rest of it is done, and the next wave starts. Scopes that need attention are left to their administrators.',
});

export const cancelFleet = route({
  ...action,
  id: 'Fleets.cancel',
  path: '/v1/fleets/{id}/cancel',
  summary: 'Cancel a fleet: start no further swap, and cancel those before their cut-over',
  description: 'Scopes that were cut over keep the new model.',
});

export const rollBackFleet = route({
  ...action,
  id: 'Fleets.rollback',
  path: '/v1/fleets/{id}/rollback',
  summary: 'Roll a fleet back: every scope that it moved uses its previous generation again',
  description:
    'One event for each scope; swaps before their cut-over are cancelled. Possible at any time, also after the end of the fleet, until it is retired. A scope whose previous generation was retired is listed.',
});

export const retireFleet = route({
  ...action,
  id: 'Fleets.retire',
  path: '/v1/fleets/{id}/retire',
  summary: 'Retire what the scopes of a fleet used before: delete these indexes',
  description:
    'After the end of the fleet. Every scope that it moved and that still searches with its generation loses the older generations in standby. Scopes that were rolled back or replaced, or that have another swap, are left alone. Responds before the work is done: `unfinished` says how many scopes are left, `retired.freed` what was freed. Afterwards the fleet cannot be rolled back. Vectors stay on the log, so a fleet to the previous model computes only what is missing.',
});
