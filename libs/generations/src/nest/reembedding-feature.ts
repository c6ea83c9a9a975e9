import type { Journal } from '@palimpsest/contracts';
import type { System } from '@palimpsest/foundation';
import type { QuotaPolicy } from '@palimpsest/knowledge/limits';
import type { EmbeddingProviders, GoldenQueries, MessageBus, ModelRegistry, ScopeKeys } from '@palimpsest/knowledge/ports';
import type { Catalog, LexicalIndex, ReadModels, VectorIndex } from '@palimpsest/knowledge/read-models';
import { feature, type Now, type OnFault } from '@palimpsest/runtime';
import { CompareCanaries } from '../canary/compare-canaries.ts';
import { SwapCanary } from '../canary/swap-canary.ts';
import { BuildGeneration } from '../build-generation.ts';
import type { Rechunking } from '../chunk-lists.ts';
import { EvaluateBuilt } from '../evaluate-built.ts';
import { EvaluateSwapOnDemand } from '../evaluate-swap.ts';
import { EvaluateGeneration, type EvaluationSettings } from '../evaluation/evaluate-generation.ts';
import { EvaluationRuns } from '../evaluation/evaluation-runs.ts';
import { FollowSwaps } from '../follow-swap.ts';
import { PauseSwaps } from '../pause-swaps.ts';
import { PlanSwapsOfScopes } from '../plan/plan-swap.ts';
import { PlanTenantsOfInstallation } from '../plan/plan-tenants.ts';
import { IN_FLIGHT } from '../reembed-documents.ts';
import { ReembedScope } from '../reembed-scope.ts';
import { ReembeddingWorker } from '../reembedding-worker.ts';
import { FollowSwapFigures } from '../swap-figures.ts';
import { SwapScope } from '../swap-scope.ts';
import { LiveLoad } from '../throttle/live-load.ts';
import { Throttle } from '../throttle/throttle.ts';
import { CanaryController } from './canary-controller.ts';
import { ReembeddingController } from './reembedding-controller.ts';
import { SwapPlanController } from './swap-plan-controller.ts';
import { SwapProgressController } from './swap-progress-controller.ts';
import { SwapController } from './swap-controller.ts';

/** Ranges that are begun while the last batches of others are embedded and recorded, so that the model need not wait. */
const SPARE_RANGES = 1;

/**
 * `reembeddingConcurrency`: ranges of documents that this process embeds at the same time. `reembeddingShare`: the largest share of the time
 * that it embeds them, above 0 to 1. `acceptedSearchMs`: a p99 of searches for which it never takes less. `swapsRequirePlan`: an approved one.
 */
export type ReembeddingSettings = Readonly<{
  reembeddingConcurrency: number;
  reembeddingShare: number;
  acceptedSearchMs: number;
  swapsRequirePlan: boolean;
}> &
  EvaluationSettings;

export type ReembeddingFeaturePorts = Readonly<{
  journal: Journal;
  bus: MessageBus;
  keys: ScopeKeys;
  catalog: Catalog;
  vectors: VectorIndex;
  /** A process that answers no searches has none. */
  lexical?: LexicalIndex;
  readModels: ReadModels;
  providers: EmbeddingProviders & Pick<ModelRegistry, 'direct' | 'verify'>;
  /** Chunks documents again: only a swap to another chunking needs it. */
  rechunk: Rechunking;
  goldenQueries: GoldenQueries;
  quotas: Pick<QuotaPolicy, 'of'>;
  settings: ReembeddingSettings;
  now: Now;
  onFault: OnFault;
  system: System;
}>;

/** Moves scopes to other models. */
export const reembedding = feature('reembedding', (ports: ReembeddingFeaturePorts) => {
  const {
    journal,
    bus,
    keys,
    catalog,
    vectors,
    lexical,
    readModels,
    providers,
    rechunk,
    goldenQueries: golden,
    quotas: quotaPolicy,
    settings,
    now,
    onFault,
    system,
  } = ports;
  const elapsed = (): number => system.clock.elapsed();
  const { scheduler } = system;
  const evaluate = new EvaluateGeneration({
    ...{ journal, catalog, vectors, readModels, keys, providers, golden, quotaPolicy, settings, now, elapsed, scheduler },
  });
  const evaluationRuns = new EvaluationRuns(system.ids, now);
  const built = new EvaluateBuilt(evaluate, evaluationRuns);
  const comparison = new CompareCanaries({ journal, now, onFault, system });
  const swapFigures = new FollowSwapFigures({ journal, providers, system, onFault });
  const { acceptedSearchMs: acceptedMs, reembeddingShare } = settings;
  const load = new LiveLoad({ journal, catalog, buildingSince: () => swapFigures.buildingSince(), acceptedMs, system, onFault });
  const { reembeddingConcurrency: concurrency } = settings;
  const throttle = new Throttle(load, { cap: reembeddingShare, batches: concurrency * IN_FLIGHT }, system);
  const build = new BuildGeneration({
    ...{ journal, keys, catalog, readModels, providers, rechunk, evaluate: built, turns: throttle, now, elapsed, system },
  });
  const swaps = new PauseSwaps(journal, built, now);
  const requirePlan = settings.swapsRequirePlan;
  const indexes = { vectors, ...(lexical ? { lexical } : {}) };
  const measure = { ...indexes, journal, catalog, readModels, keys, rechunk, providers, settings, elapsed, scheduler };
  const swapScope = new SwapScope({
    ...{ journal, catalog, providers, scheduler, now, requirePlan, indexes: { ...indexes, readModels }, evaluationRuns },
    slowed: () => throttle.slowed,
  });
  return {
    offers: { canaries: comparison, swaps: { figures: () => ({ ...swapFigures.figures(), share: throttle.share }) } },
    useCases: [
      new ReembedScope({ journal, catalog, vectors, providers, now, requirePlan }),
      swapScope,
      new FollowSwaps(swapScope),
      new PlanSwapsOfScopes({ ...measure, now }),
      new PlanTenantsOfInstallation(measure),
      new SwapCanary({ journal, keys, catalog, providers, comparison, now }),
      new EvaluateSwapOnDemand({ journal, catalog, keys, golden, evaluate, runs: evaluationRuns, onFault }),
    ],
    followers: [comparison, swapFigures, { start: async () => undefined, stop: () => load.stop() }],
    consumers: [
      new ReembeddingWorker({ bus, build, swaps, concurrency: concurrency + SPARE_RANGES, onFault, system }),
      { start: () => undefined, stop: () => evaluationRuns.stop() },
    ],
    routes: [ReembeddingController, SwapController, SwapPlanController, SwapProgressController, CanaryController],
  };
});
