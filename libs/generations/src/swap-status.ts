import { activeGeneration, comingGeneration, DOCUMENT_RANGES } from '@palimpsest/knowledge/deciders';
import type { Generation, Scope, Swap } from '@palimpsest/knowledge/deciders';
import type { Canary } from '@palimpsest/knowledge/canary';
import type { Plan } from '@palimpsest/knowledge/plans';
import type { Evaluation } from '@palimpsest/knowledge/evaluation';
import type { VectorScope } from '@palimpsest/knowledge/values';

/**
 * Progress of the swap to `generation`. `chunks`: those of all embedded ranges; `total`: all chunks of the scope. `chunksPerSecond`:
 * since the start, without pauses. `remainingSeconds`: the rest at this rate. Both are missing before the first range is done.
 */
export type SwapProgress = Readonly<{
  generation: Generation;
  cutover: Swap['cutover'];
  startedAt: string;
  ranges: Readonly<{ done: number; total: number }>;
  chunks: number;
  total: number;
  withoutVector: number;
  tokens: number;
  chunksPerSecond?: number;
  remainingSeconds?: number;
  paused?: NonNullable<Swap['paused']>;
  built?: NonNullable<Swap['built']>;
}>;

/** `idle`: no swap waits for work or for its cut-over. `swap`: the running swap, otherwise the latest one. */
export type SwapStatus = Readonly<{
  scope: VectorScope;
  state: 'idle' | 'building' | 'paused' | 'ready';
  generations: readonly Generation[];
  swap?: SwapProgress;
  plan?: Plan;
  /** The verdict of the latest evaluation. */
  evaluation?: Pick<Evaluation, 'generation' | 'against' | 'verdict' | 'reasons' | 'evaluatedAt'>;
  /** The latest one; it runs if it has not ended. */
  canary?: Canary;
}>;

/** `chunks`: the number of chunks in the scope. Everything else comes from the counters on the log. */
export const swapStatus = (scope: VectorScope, state: Scope, chunks: number): SwapStatus => {
  const coming = comingGeneration(state);
  const swap = state.swap && progressOf(state, state.swap, chunks);
  return {
    scope,
    state: coming === undefined ? 'idle' : coming.status === 'ready' ? 'ready' : state.swap?.paused ? 'paused' : 'building',
    generations: state.generations,
    ...(state.plan ? { plan: state.plan } : {}),
    ...(swap ? { swap } : {}),
    ...(state.evaluation ? { evaluation: state.evaluation } : {}),
    ...(state.canary ? { canary: state.canary } : {}),
  };
};

/** Undefined for the first generation of a scope, which no swap built. */
const progressOf = (state: Scope, swap: Swap, total: number): SwapProgress | undefined => {
  const generation = state.generations.find(({ id }) => id === swap.generation);
  const [first] = swap.runs;
  if (!generation || !first || (state.generations.length === 1 && activeGeneration(state))) return undefined;
  const ranges = [...swap.ranges.values()];
  const sum = (of: 'chunks' | 'withoutVector' | 'tokens'): number => ranges.reduce((all, counts) => all + counts[of], 0);
  const chunks = swap.built?.chunks ?? sum('chunks');
  const seconds = swap.runs.reduce((all, { from, to }) => all + Math.max(0, Date.parse(to) - Date.parse(from)), 0) / 1_000;
  const rate = seconds > 0 && sum('chunks') > 0 ? sum('chunks') / seconds : undefined;
  return {
    generation,
    cutover: swap.cutover,
    startedAt: first.from,
    ranges: { done: ranges.length, total: DOCUMENT_RANGES },
    chunks,
    total,
    withoutVector: swap.built?.withoutVector ?? sum('withoutVector'),
    tokens: sum('tokens'),
    ...(rate === undefined ? {} : { chunksPerSecond: rate }),
    ...(rate === undefined || swap.built ? {} : { remainingSeconds: Math.max(0, total - chunks) / rate }),
    ...(swap.paused ? { paused: swap.paused } : {}),
    ...(swap.built ? { built: swap.built } : {}),
  };
};
