import { z } from 'zod';
import type { FleetEvent } from '@palimpsest/knowledge/fleet';
import type { WireEvents } from '../event-codec.ts';
import { modelLimits } from '../schemas/model-schemas.ts';
import { wire } from '../schemas/values.ts';
import { amount, author, plannedBytes } from './plan-schema.ts';
import { chunkingSchema, embeddingSchema } from './recipe-schema.ts';

const ofScope = { tenant: wire.tenantId, scope: wire.scope };
const fleet = wire.fleetId;
const wave = wire.count;
const plan = {
  tenant: wire.tenantId.exactOptional(),
  embeddingVersion: wire.embeddingVersion,
  chunking: z.union([z.literal('knowledge-base'), chunkingSchema]).exactOptional(),
  canary: z.array(z.object(ofScope)),
  percents: z.array(z.number()),
  rule: z.object({
    worsePercent: z.number(),
    faults: wire.count,
    undecided: z.enum(['wait', 'cut-over']),
    advance: z.enum(['manual', 'automatic']),
  }),
  scopesAtOnce: wire.ordinal,
  seed: wire.count,
};
const sums = {
  scopes: wire.count,
  documents: wire.count,
  chunks: wire.count,
  tokens: wire.count,
  reusable: wire.count,
  cost: amount.exactOptional(),
  seconds: amount.exactOptional(),
  bytes: plannedBytes,
};

export const fleetEvents: WireEvents<FleetEvent> = {
  FleetPlanned: {
    schema: z.object({
      fleet,
      plan: z.object(plan),
      embedding: embeddingSchema,
      limits: modelLimits,
      pricePerMillionTokens: amount.exactOptional(),
      total: z.object(sums),
      tenants: z.array(z.object({ ...sums, tenant: wire.tenantId })),
      left: wire.count,
      chunksOfAll: wire.count,
      upTo: z.string().regex(/^[0-9]{1,20}$/),
      plannedAt: wire.time,
      by: author,
    }),
  },
  FleetPlanApproved: { schema: z.object({ fleet, approvedAt: wire.time, by: author }) },
  FleetStarted: { schema: z.object({ fleet, ...plan, startedAt: wire.time }) },
  FleetScopesAssigned: {
    schema: z.object({ fleet, scopes: z.array(z.object({ ...ofScope, wave })), complete: z.boolean(), assignedAt: wire.time }),
  },
  FleetWaveStarted: { schema: z.object({ fleet, wave, startedAt: wire.time }) },
  FleetWaveCompleted: {
    schema: z.object({
      fleet,
      wave,
      counts: z.object({
        scopes: wire.count,
        open: wire.count,
        moved: wire.count,
        worse: wire.count,
        faults: wire.count,
        leftOut: wire.count,
      }),
      completedAt: wire.time,
    }),
  },
  FleetScopesLeftOut: {
    schema: z.object({
      fleet,
      scopes: z.array(
        z.object({ ...ofScope, reason: z.enum(['has-model', 'own-swap', 'not-found', 'erased', 'cannot-roll-back', 'cannot-retire']) }),
      ),
      leftOutAt: wire.time,
    }),
  },
  FleetPaused: {
    schema: z.object({ fleet, wave, reason: z.string(), by: z.enum(['person', 'rule', 'platform']), pausedAt: wire.time }),
  },
  FleetResumed: { schema: z.object({ fleet, resumedAt: wire.time }) },
  FleetWaveAccepted: { schema: z.object({ fleet, wave, acceptedAt: wire.time }) },
  FleetCompleted: { schema: z.object({ fleet, completedAt: wire.time }) },
  FleetCancelled: { schema: z.object({ fleet, cancelledAt: wire.time }) },
  FleetRolledBack: { schema: z.object({ fleet, rolledBackAt: wire.time }) },
  FleetRetired: { schema: z.object({ fleet, retiredAt: wire.time }) },
  FleetScopesRetired: {
    schema: z.object({
      fleet,
      scopes: z.array(z.object({ ...ofScope, freed: z.object({ memory: z.number(), disk: z.number() }).exactOptional() })),
      retiredAt: wire.time,
    }),
  },
};
