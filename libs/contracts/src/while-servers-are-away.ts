import { ServerAway } from '@palimpsest/knowledge';
import { pause } from './pause.ts';

const BASE_MS = 500;
const MAX_MS = 10_000;

/**
 * Does the work, and does it again while a server that it needs does not answer, for as long as that takes. So work from the bus is
 * not given up, and does not use up its attempts, because a server was away. `report` is called with each such failure.
 * @throws whatever else the work throws, and ServerAway once the signal is aborted
 */
export const whileServersAreAway = async <T>(signal: AbortSignal, work: () => Promise<T>, report: (error: ServerAway) => void): Promise<T> => {
  for (let failures = 0; ; failures += 1) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof ServerAway) || signal.aborted) throw error;
      report(error);
    }
    await pause(Math.random() * Math.min(MAX_MS, BASE_MS * 2 ** failures), signal);
  }
};
