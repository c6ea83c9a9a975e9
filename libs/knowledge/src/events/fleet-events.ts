import type { FleetId } from '../values/fleet.ts';
import type { TenantScope } from '../values/scope.ts';
import type { ModelLimits } from '../values/model.ts';
import type { ChunkingRecipe, EmbeddingRecipe } from '../values/recipe.ts';
import type { TenantId } from '../values/tenant.ts';
import type { EmbeddingVersion } from '../values/versions.ts';
import type { Event } from './event.ts';
import type { PlanAuthor, PlannedBytes } from './plan-events.ts';
import type { ReadersOf } from './readers.ts';

/** When a fleet stops, and what it does between two waves. */
export type FleetRule = Readonly<{
  /** it stops if more than this share of the scopes of a wave was evaluated as worse, in percent */
  worsePercent: number;
  /** it stops if more than this number of scopes of a wave was paused because its model or a store failed */
  faults: number;
  /** scopes whose evaluation is undecided: leave them to a person, or cut over */
  undecided: 'wait' | 'cut-over';
  /** after each wave: wait for a person, or go on */
  advance: 'manual' | 'automatic';
}>;

export type AssignedScope = TenantScope & Readonly<{ wave: number }>;

/**
 * Why a fleet does nothing with a scope: it has the model, has another swap, does not exist any more, its key was destroyed, its previous
 * generation was retired before the fleet was rolled back, or it had another swap when the fleet was retired.
 */
export type LeftOutReason = 'has-model' | 'own-swap' | 'not-found' | 'erased' | 'cannot-roll-back' | 'cannot-retire';
export type LeftOutScope = TenantScope & Readonly<{ reason: LeftOutReason }>;
/** `freed`: bytes that its indexes no longer use, measured by the process that retired them. Missing if it could not measure them. */
export type RetiredScope = TenantScope & Readonly<{ freed?: Readonly<{ memory: number; disk: number }> }>;

/** Scopes of a wave, by their outcome. `open`: the fleet still has work to do. */
export type WaveCounts = Readonly<{ scopes: number; open: number; moved: number; worse: number; faults: number; leftOut: number }>;

/** All scopes of the installation, or of one tenant, are to be moved to another model, wave by wave. */
export type FleetStarted = Event<
  'FleetStarted',
  {
    fleet: FleetId;
    /** whose scopes; missing: those of all tenants */
    tenant?: TenantId;
    embeddingVersion: EmbeddingVersion;
    /** chunk all documents again: with these settings, or with those of each knowledge base; missing: as now */
    chunking?: ChunkingRecipe['settings'];
    /** the first wave; none if it is empty */
    canary: readonly TenantScope[];
    /** the further waves: the share of all scopes that has been moved after each; the last one is 100 */
    percents: readonly number[];
    rule: FleetRule;
    /** how many swaps the fleet has at the same time */
    scopesAtOnce: number;
    /** of the order of the scopes */
    seed: number;
    startedAt: string;
  }
>;
/** What a fleet moves, and how. */
export type FleetPlan = Omit<FleetStarted['data'], 'fleet' | 'startedAt'>;

/** Sums over scopes. `tokens`: those that the model will read. `seconds`: one scope after the other. A sum is missing if one of its parts is unknown. */
export type PlannedSums = Readonly<{
  scopes: number;
  documents: number;
  chunks: number;
  tokens: number;
  reusable: number;
  cost?: number;
  seconds?: number;
  bytes: PlannedBytes;
}>;

/** What a fleet would take is known. Nothing is started. Its start, if there is one, is on the same stream. */
export type FleetPlanned = Event<
  'FleetPlanned',
  {
    fleet: FleetId;
    /** what is started if the plan is started */
    plan: FleetPlan;
    /** the model as this installation described it */
    embedding: EmbeddingRecipe;
    limits: ModelLimits;
    pricePerMillionTokens?: number;
    /** of the scopes that would be moved */
    total: PlannedSums;
    /** the same by tenant; at most 1,000, those with the most chunks */
    tenants: readonly (PlannedSums & Readonly<{ tenant: TenantId }>)[];
    /** scopes that would not be moved: they have the model, or a swap of their own */
    left: number;
    /** chunks of all scopes of the fleet, moved or not */
    chunksOfAll: number;
    /** position of the log at this time */
    upTo: string;
    plannedAt: string;
    by: PlanAuthor;
  }
>;
/** Another person agrees that this plan is started. */
export type FleetPlanApproved = Event<'FleetPlanApproved', { fleet: FleetId; approvedAt: string; by: PlanAuthor }>;

/** The waves of scopes. The scopes at the start come in one or several parts; those that arrived later join the last wave when it starts. */
export type FleetScopesAssigned = Event<
  'FleetScopesAssigned',
  {
    fleet: FleetId;
    scopes: readonly AssignedScope[];
    /** the last part */
    complete: boolean;
    assignedAt: string;
  }
>;
export type FleetWaveStarted = Event<'FleetWaveStarted', { fleet: FleetId; wave: number; startedAt: string }>;
/** Nothing is left to do in the wave, and the rule permits the next one. */
export type FleetWaveCompleted = Event<
  'FleetWaveCompleted',
  {
    fleet: FleetId;
    wave: number;
    /** outcome of its scopes at this time */
    counts: WaveCounts;
    completedAt: string;
  }
>;
/** The fleet does nothing with these scopes. Their swaps, if they have any, belong to their administrators. */
export type FleetScopesLeftOut = Event<'FleetScopesLeftOut', { fleet: FleetId; scopes: readonly LeftOutScope[]; leftOutAt: string }>;
/** No further swap is started, and running ones are paused. `by`: a person, the rule of the fleet, or the platform if the model is missing. */
export type FleetPaused = Event<
  'FleetPaused',
  {
    fleet: FleetId;
    wave: number;
    /** a sentence without names of scopes */
    reason: string;
    by: 'person' | 'rule' | 'platform';
    pausedAt: string;
  }
>;
/** Swaps that the fleet paused, or that failed, are resumed. */
export type FleetResumed = Event<'FleetResumed', { fleet: FleetId; resumedAt: string }>;
/** A person accepts the outcome of a wave although the rule stopped it. */
export type FleetWaveAccepted = Event<'FleetWaveAccepted', { fleet: FleetId; wave: number; acceptedAt: string }>;
/** The last wave is complete. */
export type FleetCompleted = Event<'FleetCompleted', { fleet: FleetId; completedAt: string }>;
/** No further swap is started, and swaps before their cut-over are cancelled. */
export type FleetCancelled = Event<'FleetCancelled', { fleet: FleetId; cancelledAt: string }>;
/** The same, and every scope that the fleet moved goes back to its previous generation. */
export type FleetRolledBack = Event<'FleetRolledBack', { fleet: FleetId; rolledBackAt: string }>;
/** After the end: what the moved scopes used before is to be retired. The fleet cannot be rolled back any more. */
export type FleetRetired = Event<'FleetRetired', { fleet: FleetId; retiredAt: string }>;
/** The older generations of these scopes are retired. */
export type FleetScopesRetired = Event<'FleetScopesRetired', { fleet: FleetId; scopes: readonly RetiredScope[]; retiredAt: string }>;

export type FleetEvent =
  | FleetPlanned
  | FleetPlanApproved
  | FleetStarted
  | FleetScopesAssigned
  | FleetWaveStarted
  | FleetWaveCompleted
  | FleetScopesLeftOut
  | FleetPaused
  | FleetResumed
  | FleetWaveAccepted
  | FleetCompleted
  | FleetCancelled
  | FleetRolledBack
  | FleetRetired
  | FleetScopesRetired;

/** The projections that read each type. A fleet may name scopes of several tenants, so the list of events, which belongs to tenants, does not show them. */
export const FLEET_READERS = {
  FleetPlanned: ['fleets'],
  FleetPlanApproved: ['fleets'],
  FleetStarted: ['fleets'],
  FleetScopesAssigned: ['fleets'],
  FleetWaveStarted: ['fleets'],
  FleetWaveCompleted: ['fleets'],
  FleetScopesLeftOut: ['fleets'],
  FleetPaused: ['fleets'],
  FleetResumed: ['fleets'],
  FleetWaveAccepted: ['fleets'],
  FleetCompleted: ['fleets'],
  FleetCancelled: ['fleets'],
  FleetRolledBack: ['fleets'],
  FleetRetired: ['fleets'],
  FleetScopesRetired: ['fleets'],
} as const satisfies ReadersOf<FleetEvent>;
