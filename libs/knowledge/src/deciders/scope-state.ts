import type { Cutover, QueryWindow } from '../events/cutover.ts';
import type { GenerationStarted } from '../events/scope-events.ts';
import { DOCUMENT_RANGES, rangesOf } from '../values/document-range.ts';
import { chunkListOf, type Recipe } from '../values/recipe.ts';
import type { EmbeddingVersion, GenerationId } from '../values/versions.ts';
import type { Canary } from './scope-canary.ts';
import type { Erasure, Hold } from './scope-erasure.ts';
import type { Evaluation } from './scope-evaluation.ts';
import type { Plan } from './scope-plan.ts';

/**
 * `embeddingVersion`: that of the recipe. `building`: gets its vectors. `ready`: complete, and not active yet. `standby`: was active, and
 * is kept up to date for a rollback. `companion`: complete, kept up to date, and never active: its vectors rerank.
 */
export type Generation = Readonly<{
  id: GenerationId;
  embeddingVersion: EmbeddingVersion;
  recipe: Recipe;
  status: 'building' | 'ready' | 'active' | 'standby' | 'companion' | 'retired';
}>;

/** Chunks, those of them without a vector, and embedded tokens. */
export type RangeCounts = Readonly<{ chunks: number; withoutVector: number; tokens: number }>;
/** `upTo`: the position of the log up to which the pass was complete. */
export type BuiltCounts = Readonly<{ chunks: number; withoutVector: number; upTo: string }>;

/** The latest swap of the scope. `rangeCount`: ranges that its documents are divided into. `runs`: when it was worked on, without pauses; the last one ends with the latest range. */
export type Swap = Readonly<{
  generation: GenerationId;
  cutover: Cutover;
  pastQueries?: QueryWindow;
  ranges: ReadonlyMap<number, RangeCounts>;
  rangeCount: number;
  runs: readonly Readonly<{ from: string; to: string }>[];
  paused?: Readonly<{ reason: string; by: 'person' | 'platform'; at: string }>;
  built?: BuiltCounts & Readonly<{ at: string }>;
}>;

export const newSwap = ({ generation, cutover = 'automatic', pastQueries, ranges, startedAt: at }: GenerationStarted['data']): Swap => ({
  ...{ generation, cutover, ranges: new Map(), rangeCount: ranges ?? DOCUMENT_RANGES, runs: [{ from: at, to: at }] },
  ...(pastQueries === undefined ? {} : { pastQueries }),
});

/** `swap` is missing if no generation was started after the first, and in the scopes of a catalog. `evaluation`, `canary`, `plan`: the latest one. */
export type Scope = Readonly<{
  opened: boolean;
  generations: readonly Generation[];
  /** The generation that was active before the active one. */
  servedBefore?: GenerationId;
  swap?: Swap;
  evaluation?: Evaluation;
  canary?: Canary;
  plan?: Plan;
  hold?: Hold;
  erasure?: Erasure;
}>;

export const activeGeneration = (scope: Scope): Generation | undefined => scope.generations.find(({ status }) => status === 'active');

/** The generation that is being built, or is built and was never active. */
export const comingGeneration = (scope: Scope): Generation | undefined =>
  scope.generations.find(({ status }) => status === 'building' || status === 'ready');

/** Generations that new chunks are written to: all that are not retired. */
export const liveGenerations = (scope: Scope): readonly Generation[] => scope.generations.filter(({ status }) => status !== 'retired');

/** Ranges of documents that a swap has not embedded yet. */
export const openRanges = ({ ranges, rangeCount }: Swap): readonly number[] => rangesOf(rangeCount).filter((range) => !ranges.has(range));

/** The swap whose generation is being built. */
export const running = (state: Scope): Swap | undefined =>
  state.swap && state.generations.some(({ id, status }) => id === state.swap?.generation && status === 'building') ? state.swap : undefined;

/** Whether one recipe gives the same chunks and comparable vectors as another. Recipes of earlier versions say no more than that. */
export const isEquivalent = (a: Recipe, b: Recipe): boolean =>
  a.embedding.version === b.embedding.version && chunkListOf(a.chunking) === chunkListOf(b.chunking);
