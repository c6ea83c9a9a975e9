import { CircuitBreaker, type System } from '@palimpsest/foundation';
import { Overloaded, ServerAway, Unavailable } from '@palimpsest/knowledge/errors';
import type { Reranker } from '@palimpsest/knowledge/models';

const REST = { restMs: 5_000, maxRestMs: 60_000 };

/**
 * A reranker of an endpoint behind a circuit breaker. An endpoint that fails or does not answer within the budget of the searches would make
 * each of them wait for nothing; while the circuit is open, calls fail at once, and single calls find out whether it works again.
 */
export const breakingReranker = (reranker: Reranker, { clock }: Pick<System, 'clock'>): Reranker => {
  const breaker = new CircuitBreaker(REST, clock);
  return {
    version: reranker.version,
    close: () => reranker.close(),
    score: async (query, passages, signal) => {
      signal?.throwIfAborted();
      const call = breaker.enter();
      if (call === undefined)
        throw new ServerAway(`it failed ${breaker.opened?.failures} times in a row, and is not asked for a moment`, { forCallers: true });
      try {
        const scores = await reranker.score(query, passages, signal);
        call.succeeded();
        return scores;
      } catch (error) {
        // A search aborts a call only when its budget is exceeded.
        if (signal?.aborted === true || error instanceof Unavailable) call.failed();
        else if (error instanceof Overloaded) call.failed(Math.min(1_000 * error.retryAfterSeconds, REST.maxRestMs));
        else call.left();
        throw error;
      }
    },
  };
};
