import { z } from 'zod';
import { list, part, view } from '../view.ts';
import { position } from './documents.ts';
import { chunking } from './knowledge-bases.ts';
import { planAuthor, plannedTotals } from './swap-plans.ts';

/** What a fleet knows of a scope. */
const FLEET_SCOPE_STATES = [
  'waiting',
  'building',
  'paused',
  'evaluating',
  'moved',
  'retired',
  'undecided',
  'worse',
  'failed',
  'held',
  'cancelled',
  'rolled-back',
  'replaced',
  'left-out',
] as const;

const states = z.enum(FLEET_SCOPE_STATES);

const rule = part({
  worsePercent: z.number().describe('the fleet stops if more than this share of the scopes of a wave was evaluated as worse, in percent'),
  faults: z.number().describe('the fleet stops if the model or a store failed for more than this number of scopes of a wave'),
  undecided: z.enum(['wait', 'cut-over']).describe('scopes whose evaluation is undecided: leave them to a person, or cut over'),
  advance: z.enum(['manual', 'automatic']).describe('after each wave: wait for a person, or go on'),
});

const wave = part({
  name: z.string().describe('`canary`, a share of all scopes, or `all`'),
  state: z.enum(['waiting', 'running', 'complete', 'ended']).describe('`ended`: not complete when the fleet was cancelled or rolled back.'),
  scopes: z.number().describe('number of its scopes'),
  tenants: z.number().describe('number of their tenants'),
  counts: z
    .partialRecord(states, z.number())
    .readonly()
    .describe(
      'Number of scopes by state. `waiting`: not started. `paused`: by the fleet. `evaluating`: built. `moved`: searched with the new model. `retired`: also, and what it used before is deleted. `undecided`: built, and waits for a person. `worse`: evaluated as worse. `failed`: paused because the model or a store failed. `held`: paused by its own administrator. `cancelled`, `rolled-back`, `replaced`: by its own administrator or with the fleet. `left-out`: the fleet does nothing with it.',
    ),
  completedAt: z.string().exactOptional(),
});

const attention = part({
  tenant: z.string(),
  scope: z.string().exactOptional().describe('missing if the key may not read the scope'),
  wave: z.number(),
  state: states,
  reason: z.string().exactOptional().describe('a sentence without names of scopes'),
});

const shape = {
  id: z.string(),
  tenant: z.string().exactOptional().describe('Whose scopes are moved. Missing: those of all tenants.'),
  embeddingVersion: z.string().describe('The new model.'),
  chunking: z
    .union([z.literal('knowledge-base'), chunking])
    .exactOptional()
    .describe('All documents are chunked again: with these settings, or with those of each knowledge base. Missing: as before.'),
  state: z
    .enum(['assigning', 'running', 'waiting', 'paused', 'complete', 'cancelled', 'rolled-back'])
    .describe('`assigning`: the scopes get their waves. `waiting`: for a person, after a wave.'),
  wave: z.number().describe('The current wave, from 1.'),
  unfinished: z
    .number()
    .describe('Scopes that the fleet still has work to do for; 0 some time after a cancellation, a rollback or a retirement.'),
  waves: list(wave),
  rule,
  scopesAtOnce: z.number(),
  seed: z.number().describe('of the order of the scopes'),
  startedAt: z.string(),
  retired: part({
    at: z.string(),
    freed: part({ scopes: z.number(), memory: z.number(), disk: z.number() })
      .exactOptional()
      .describe(
        'Bytes that the deleted indexes used, over the scopes whose retirement was measured: not those of an index server, nor of a process that ended at this moment.',
      ),
  })
    .exactOptional()
    .describe('What the moved scopes used before is retired.'),
  paused: part({ reason: z.string(), by: z.enum(['person', 'rule', 'platform']), at: z.string() }).exactOptional(),
  needsAttention: part({ total: z.number(), scopes: list(attention) }).describe(
    'At most 100 scopes that wait for a person, or were left out.',
  ),
};

export const fleetView = view('FleetView', shape, 'The swap of many scopes in waves.');
export type FleetView = z.infer<typeof fleetView>;

export const fleetChanged = view(
  'FleetChanged',
  { ...shape, position },
  '`position`: position of the event, or of the latest one if nothing changed.',
);
export type FleetChanged = z.infer<typeof fleetChanged>;

const plan = {
  id: z.string().describe('Also that of the fleet, once the plan is started.'),
  tenant: shape.tenant,
  embeddingVersion: shape.embeddingVersion,
  chunking: shape.chunking,
  waves: list(z.string()).describe('Names of the waves: `canary`, a share of all scopes, `all`.'),
  rule,
  scopesAtOnce: z.number(),
  seed: shape.seed,
  total: part(plannedTotals).describe('Sums over the scopes that would be moved.'),
  tenants: list(part({ tenant: z.string(), ...plannedTotals })).describe('At most 1,000 tenants: those with the most chunks.'),
  left: z.number().describe('Scopes that would not be moved: they have the model, or a swap of their own.'),
  pricePerMillionTokens: z.number().exactOptional(),
  upTo: position,
  plannedAt: z.string(),
  plannedBy: planAuthor,
  approved: part({ at: z.string(), by: planAuthor }).exactOptional(),
  startedAt: z.string().exactOptional(),
};

export const fleetPlanView = view('FleetPlanView', plan, 'What a fleet would take, by tenant.');
export type FleetPlanView = z.infer<typeof fleetPlanView>;

export const fleetPlanChanged = view('FleetPlanChanged', { ...plan, position });
export type FleetPlanChanged = z.infer<typeof fleetPlanChanged>;

export const fleetList = view('FleetList', {
  fleets: list(fleetView),
  plans: list(fleetPlanView).describe('Plans that are not started, the newest first; at most 20.'),
});
export type FleetList = z.infer<typeof fleetList>;
