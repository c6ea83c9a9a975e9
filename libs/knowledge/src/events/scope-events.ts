import type { VectorScope } from '../values/scope.ts';
import type { PlanId } from '../values/plan-id.ts';
import type { Recipe } from '../values/recipe.ts';
import type { GenerationId } from '../values/versions.ts';
import type { CanaryEnded, CanaryStarted } from './canary-events.ts';
import type { ScopeErased, ScopeErasureCompleted, ScopeErasureRequested, ScopeHeld, ScopeReleased } from './erasure-events.ts';
import type { GenerationEvaluated } from './evaluation-events.ts';
import type { Cutover, QueryWindow } from './cutover.ts';
import type { SwapPlanApproved, SwapPlanned } from './plan-events.ts';
import type { Event } from './event.ts';
import type { ReadersOf } from './readers.ts';

export type { Cutover };
export type ScopeOpened = Event<'ScopeOpened', { scope: VectorScope; openedAt: string }>;

/**
 * The generation is being built: from now on, new chunks also get a vector of its version. Without `cutover`: automatic. `plan`: the plan
 * that it follows. `ranges`: how many its documents are divided into; missing: 16.
 */
export type GenerationStarted = Event<
  'GenerationStarted',
  {
    scope: VectorScope;
    generation: GenerationId;
    recipe: Recipe;
    startedAt: string;
    cutover?: Cutover;
    pastQueries?: QueryWindow;
    plan?: PlanId;
    ranges?: number;
  }
>;
/**
 * One range of documents has its vectors (see `values/document-range.ts`). `chunks`: chunks of these documents. `withoutVector`: those of
 * them that the model rejected. `tokens`: tokens that were embedded for them since the worker began the range.
 */
export type GenerationRangeEmbedded = Event<
  'GenerationRangeEmbedded',
  {
    scope: VectorScope;
    generation: GenerationId;
    range: number;
    chunks: number;
    withoutVector: number;
    tokens: number;
    embeddedAt: string;
  }
>;
/**
 * The generation is complete: every chunk that was indexed up to `upTo`, a position of the log, has its vector, or the model rejected it
 * (`withoutVector`). Later chunks are written to all live generations when they are indexed. `companion`: it is kept alongside the active
 * one, and reranks.
 */
export type GenerationBuilt = Event<
  'GenerationBuilt',
  { scope: VectorScope; generation: GenerationId; chunks: number; withoutVector: number; upTo: string; builtAt: string; companion?: true }
>;
/** `by`: the platform pauses a swap whose model fails. */
export type GenerationPaused = Event<
  'GenerationPaused',
  { scope: VectorScope; generation: GenerationId; reason: string; by: 'person' | 'platform'; pausedAt: string }
>;
/** `ranges`: as in `GenerationStarted`. */
export type GenerationResumed = Event<
  'GenerationResumed',
  { scope: VectorScope; generation: GenerationId; resumedAt: string; ranges?: number }
>;
/**
 * Queries use this generation from now on. The previous one is kept up to date until it is retired. `forced`: why a person activated it
 * although its evaluation found that it is worse.
 */
export type GenerationActivated = Event<
  'GenerationActivated',
  { scope: VectorScope; generation: GenerationId; activatedAt: string; forced?: string }
>;
/** The generation is deleted. If it was never active, its swap was cancelled. */
export type GenerationRetired = Event<'GenerationRetired', { scope: VectorScope; generation: GenerationId; retiredAt: string }>;

export type ScopeEvent =
  | ScopeOpened
  | SwapPlanned
  | SwapPlanApproved
  | GenerationStarted
  | GenerationRangeEmbedded
  | GenerationBuilt
  | GenerationPaused
  | GenerationResumed
  | GenerationEvaluated
  | CanaryStarted
  | CanaryEnded
  | GenerationActivated
  | GenerationRetired
  | ScopeHeld
  | ScopeReleased
  | ScopeErasureRequested
  | ScopeErased
  | ScopeErasureCompleted;

/** The projections that read each type. */
export const SCOPE_READERS = {
  ScopeOpened: ['event-views'],
  SwapPlanned: ['event-views'],
  SwapPlanApproved: ['event-views'],
  GenerationStarted: ['generations', 'catalog', 'relay', 'event-views', 'fleets', 'swap-figures'],
  GenerationRangeEmbedded: ['event-views', 'swap-figures'],
  GenerationBuilt: ['generations', 'catalog', 'event-views', 'fleets', 'swap-figures'],
  GenerationPaused: ['event-views', 'fleets', 'swap-figures'],
  GenerationResumed: ['relay', 'event-views', 'fleets', 'swap-figures'],
  GenerationEvaluated: ['event-views', 'fleets', 'swap-figures'],
  CanaryStarted: ['canaries', 'canary-comparison', 'event-views'],
  CanaryEnded: ['canaries', 'canary-comparison', 'event-views'],
  GenerationActivated: ['generations', 'catalog', 'event-views', 'fleets', 'swap-figures'],
  GenerationRetired: ['generations', 'catalog', 'event-views', 'fleets', 'swap-figures'],
  ScopeHeld: ['event-views'],
  ScopeReleased: ['event-views'],
  ScopeErasureRequested: ['erasures', 'event-views'],
  ScopeErased: ['erasures', 'generations', 'catalog', 'event-views'],
  ScopeErasureCompleted: ['erasures', 'event-views'],
} as const satisfies ReadersOf<ScopeEvent>;
