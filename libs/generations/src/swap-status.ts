import { activeGeneration, comingGeneration } from '@palimpsest/knowledge/deciders';
import type { Generation, Scope, Swap } from '@palimpsest/knowledge/deciders';
import type { Canary } from '@palimpsest/knowledge/canary';
import type { Plan } from '@palimpsest/knowledge/plans';
import type { Evaluation } from '@palimpsest/knowledge/evaluation';
import type { PermittedScope } from '@palimpsest/knowledge/access';
import type { EmbeddingProviders } from '@palimpsest/knowledge/ports';
import type { CatalogReader } from '@palimpsest/knowledge/read-models';
import { chunkListOf, type VectorScope } from '@palimpsest/knowledge/values';
import type { EvaluationRuns, EvaluationRunStatus } from './evaluation/evaluation-runs.ts';
import { registered } from './start-swap.ts';
import type { Slowed } from './throttle/throttle.ts';

/**
 * Progress of the swap to `generation`. `chunks`: those of all embedded ranges; `total`: all chunks of the scope. With another chunking it is
 * an estimate from the ranges that are done. `chunksPerSecond`:
 * since the start, without pauses. `remainingSeconds`: the rest at this rate. Both are missing before the first range is done.
 */
export type SwapProgress = Readonly<{
  generation: Generation;
  cutover: Swap['cutover'];
  pastQueries?: NonNullable<Swap['pastQueries']>;
  startedAt: string;
  ranges: Readonly<{ done: number; total: number }>;
  chunks: number;
  total: number;
  withoutVector: number;
  tokens: number;
  /** Of these tokens, in dollars. Missing if the model has no price. */
  cost?: number;
  chunksPerSecond?: number;
  remainingSeconds?: number;
  /** While it is built: the process that was asked embeds at a reduced rate. */
  slowed?: Slowed;
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
  /** The evaluation that this process runs, or ran last since its start. */
  evaluationRun?: EvaluationRunStatus;
  /** The verdict of the latest evaluation. */
  evaluation?: Pick<Evaluation, 'generation' | 'against' | 'verdict' | 'reasons' | 'evaluatedAt'>;
  /** The latest one; it runs if it has not ended. */
  canary?: Canary;
  /** Documents that the generation of the swap has with the chunks of another one, and why: some of them. */
  notRechunked?: Awaited<ReturnType<CatalogReader['notRechunked']>>;
}>;

/** Documents that are listed with the reason why they could not be chunked again. */
const MAX_LISTED = 20;

export type SwapStatusPorts = Readonly<{
  catalog: Pick<CatalogReader, 'countsIn' | 'notRechunked'>;
  providers: Pick<EmbeddingProviders, 'models'>;
  /** Of this process. */
  slowed?: (() => Slowed | undefined) | undefined;
  evaluationRuns?: Pick<EvaluationRuns, 'of'>;
}>;

/** The status, with what the catalog and the settings of models know. */
export const statusOf = async (
  { catalog, providers, slowed, evaluationRuns }: SwapStatusPorts,
  scope: PermittedScope,
  state: Scope,
): Promise<SwapStatus> => {
  const known = swapStatus(scope.scope, state, (await catalog.countsIn([scope])).chunks);
  const evaluationRun = evaluationRuns?.of(scope);
  const status = { ...withRate(withCost(known, providers), slowed?.()), ...(evaluationRun ? { evaluationRun } : {}) };
  const list = status.swap && chunkListOf(status.swap.generation.recipe.chunking);
  const kept = list && (await catalog.notRechunked(scope, list, MAX_LISTED));
  return kept && kept.total > 0 ? { ...status, notRechunked: kept } : status;
};

const withCost = ({ swap, ...status }: SwapStatus, providers: SwapStatusPorts['providers']): SwapStatus => {
  if (swap === undefined) return status;
  const { pricePerMillionTokens: price } = registered(providers, swap.generation.embeddingVersion);
  return { ...status, swap: { ...swap, ...(price === undefined ? {} : { cost: (swap.tokens * price) / 1e6 }) } };
};

const withRate = (status: SwapStatus, slowed: Slowed | undefined): SwapStatus =>
  slowed && status.swap && status.state === 'building' ? { ...status, swap: { ...status.swap, slowed } } : status;

/** `chunks`: the number of chunks in the scope. Everything else comes from the counters on the log. */
const swapStatus = (scope: VectorScope, state: Scope, chunks: number): SwapStatus => {
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
  const all =
    swap.built?.chunks ?? expectedChunks(state, generation, swap.rangeCount, { chunks: sum('chunks'), ranges: ranges.length, total });
  const rate = rateOf(swap, sum('chunks'));
  return {
    generation,
    cutover: swap.cutover,
    ...askedIn(swap),
    startedAt: first.from,
    ranges: { done: ranges.length, total: swap.rangeCount },
    chunks,
    total: all,
    withoutVector: swap.built?.withoutVector ?? sum('withoutVector'),
    tokens: sum('tokens'),
    ...(rate === undefined ? {} : { chunksPerSecond: rate }),
    ...(rate === undefined || swap.built ? {} : { remainingSeconds: Math.max(0, all - chunks) / rate }),
    ...(swap.paused ? { paused: swap.paused } : {}),
    ...(swap.built ? { built: swap.built } : {}),
  };
};

/** Missing if its gate asks the newest past queries. */
const askedIn = ({ pastQueries }: Swap): Pick<SwapProgress, 'pastQueries'> => (pastQueries === undefined ? {} : { pastQueries });

/** Undefined before the first range is done. */
const rateOf = ({ runs }: Swap, chunks: number): number | undefined => {
  const seconds = runs.reduce((all, { from, to }) => all + Math.max(0, Date.parse(to) - Date.parse(from)), 0) / 1_000;
  return seconds > 0 && chunks > 0 ? chunks / seconds : undefined;
};

/** Ranges have about the same number of documents. */
const expectedChunks = (
  state: Scope,
  { recipe }: Generation,
  rangeCount: number,
  { chunks, ranges, total }: Readonly<{ chunks: number; ranges: number; total: number }>,
): number => {
  const active = activeGeneration(state);
  const isRechunked = active !== undefined && chunkListOf(active.recipe.chunking) !== chunkListOf(recipe.chunking);
  return isRechunked && ranges > 0 ? Math.round((chunks * rangeCount) / ranges) : total;
};
