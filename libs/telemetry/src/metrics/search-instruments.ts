import { Counter, Histogram, type Registry } from 'prom-client';
import type { ObserveRetrieval } from '@palimpsest/query';

/** From a stage that only sorts to a chat model. */
const STAGE_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** The stages of searches. `observe`: runs a search and counts what it did; a search that fails is counted as a request only. */
export const createSearchInstruments = (registers: Registry[]): Readonly<{ observe: ObserveRetrieval }> => {
  const duration = new Histogram({
    name: 'palimpsest_search_stage_duration_seconds',
    help: 'Duration of each stage of a search that ran, also if it was skipped in the end',
    labelNames: ['stage'] as const,
    buckets: STAGE_SECONDS,
    registers,
  });
  const skips = new Counter({
    name: 'palimpsest_search_stage_skips_total',
    help: 'Stages that searches did without, because they exceeded their budget or what they depend on was unavailable',
    labelNames: ['stage', 'reason'] as const,
    registers,
  });
  const rerankings = new Counter({
    name: 'palimpsest_rerankings_total',
    help: 'Searches with a reranker: its scores were blended with those of the search, were all about the same (abstained), or were missing (skipped)',
    labelNames: ['outcome'] as const,
    registers,
  });
  return {
    observe: async (search, seen) => {
      const found = await search();
      const { stages, skipped, reranking } = seen(found);
      for (const { stage, ms } of stages) duration.observe({ stage }, ms / 1_000);
      for (const [stage, reason] of Object.entries(skipped)) skips.inc({ stage, reason });
      if (reranking !== undefined) rerankings.inc({ outcome: reranking });
      return found;
    },
  };
};
