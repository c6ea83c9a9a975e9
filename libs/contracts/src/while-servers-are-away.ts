import { fullJitter, pause, SYSTEM, type System } from '@palimpsest/foundation';
import { ServerAway } from '@palimpsest/knowledge/errors';

const BASE_MS = 500;
const MAX_MS = 10_000;

/**
 * Runs the work and repeats it while a server is unavailable, without a time limit. So an outage does not use up the attempts of a
 * message from the bus. Calls `report` for each such failure.
 * @throws all other errors of the work, and ServerAway after the signal aborts
 */
export const whileServersAreAway = async <T>(
  signal: AbortSignal,
  work: () => Promise<T>,
  report: (error: ServerAway) => void,
  { random, scheduler }: Pick<System, 'random' | 'scheduler'> = SYSTEM,
): Promise<T> => {
  for (let failures = 0; ; failures += 1) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof ServerAway) || signal.aborted) throw error;
      report(error);
    }
    await pause(
      fullJitter(failures, BASE_MS, MAX_MS, () => random.next()),
      signal,
      scheduler,
    );
  }
};
