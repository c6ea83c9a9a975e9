import type { System } from '@palimpsest/foundation';
import type { Reranker } from '@palimpsest/knowledge/models';
import { breakingCalls } from './breaking-calls.ts';

/** A reranker of an endpoint behind a circuit breaker. */
export const breakingReranker = (reranker: Reranker, system: Pick<System, 'clock'>): Reranker => {
  const breaking = breakingCalls(system);
  return {
    version: reranker.version,
    close: () => reranker.close(),
    score: (query, passages, signal) => breaking(() => reranker.score(query, passages, signal), signal),
  };
};
