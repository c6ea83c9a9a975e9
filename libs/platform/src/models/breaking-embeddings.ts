import { CircuitBreaker, type OpenCircuit, type System } from '@palimpsest/foundation';
import { Overloaded, ServerAway, Unavailable } from '@palimpsest/knowledge/errors';
import type { EmbeddingProvider } from '@palimpsest/knowledge/ports';

const REST = { restMs: 5_000, maxRestMs: 60_000 };
/** An endpoint that requires a longer pause than retries wait opens the circuit at once, for as long as it says, but not for longer than an hour. */
const LONG_PAUSE_S = 30;
const MAX_PAUSE_S = 3_600;

export type BreakingEmbeddings = EmbeddingProvider & Readonly<{ circuit: () => OpenCircuit | undefined }>;

/**
 * A model behind a circuit breaker, which counts calls that failed after their retries because of the endpoint: it cannot be reached, does
 * not respond in time, reports an error of its own or too many requests. While it is open, calls fail at once. The texts of such a
 * call were not seen by the endpoint, so it is unavailable to them (or overloaded, if that was the last failure), whatever made it fail before.
 */
export const breakingEmbeddings = (provider: EmbeddingProvider, { clock }: Pick<System, 'clock'>): BreakingEmbeddings => {
  const breaker = new CircuitBreaker(REST, clock);
  let last: Unavailable | Overloaded | undefined;

  const refusal = (): Error => {
    const { failures, forMs, leftMs } = breaker.opened ?? { failures: 0, forMs: 0, leftMs: 0 };
    const at = (ms: number): string => new Date(clock.now() + ms).toISOString();
    const message = `the model ${provider.version} is not called until ${at(leftMs)}: its endpoint failed ${failures} times in a row, and since ${at(-forMs)} only single calls find out whether it works again`;
    if (last instanceof Overloaded) return new Overloaded(message, Math.max(1, Math.ceil(leftMs / 1_000)));
    return new ServerAway(message, { forCallers: true });
  };

  return {
    ...provider,
    window: () => provider.window(),
    close: () => provider.close(),
    circuit: () => breaker.opened,
    embed: async (texts, kind, signal) => {
      signal?.throwIfAborted();
      const call = breaker.enter();
      if (call === undefined) throw refusal();
      try {
        const made = await provider.embed(texts, kind, signal);
        call.succeeded();
        return made;
      } catch (error) {
        if (signal?.aborted === true) call.left();
        else if (error instanceof Overloaded || error instanceof Unavailable) {
          last = error;
          call.failed(pauseOf(error));
        } else call.succeeded();
        throw error;
      }
    },
  };
};

const pauseOf = (error: Unavailable | Overloaded): number | undefined =>
  error instanceof Overloaded && error.retryAfterSeconds > LONG_PAUSE_S
    ? 1_000 * Math.min(error.retryAfterSeconds, MAX_PAUSE_S)
    : undefined;
