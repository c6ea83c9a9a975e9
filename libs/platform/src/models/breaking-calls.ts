import { CircuitBreaker, type System } from '@palimpsest/foundation';
import { Overloaded, ServerAway, Unavailable } from '@palimpsest/knowledge/errors';

const REST = { restMs: 5_000, maxRestMs: 60_000 };

export type BreakingCalls = <Answer>(call: () => Promise<Answer>, signal: AbortSignal | undefined) => Promise<Answer>;

/**
 * Calls of searches to an endpoint, behind a circuit breaker. An endpoint that fails or does not answer within the budget of the searches
 * would make each of them wait for nothing; while the circuit is open, calls fail at once, and single calls find out whether it works again.
 */
export const breakingCalls = ({ clock }: Pick<System, 'clock'>): BreakingCalls => {
  const breaker = new CircuitBreaker(REST, clock);
  return async (call, signal) => {
    signal?.throwIfAborted();
    const permitted = breaker.enter();
    if (permitted === undefined)
      throw new ServerAway(`it failed ${breaker.opened?.failures} times in a row, and is not asked for a moment`, { forCallers: true });
    try {
      const answer = await call();
      permitted.succeeded();
      return answer;
    } catch (error) {
      // A search aborts a call only when its budget is exceeded.
      if (signal?.aborted === true || error instanceof Unavailable) permitted.failed();
      else if (error instanceof Overloaded) permitted.failed(Math.min(1_000 * error.retryAfterSeconds, REST.maxRestMs));
      else permitted.left();
      throw error;
    }
  };
};
