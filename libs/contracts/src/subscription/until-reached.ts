import { Unavailable } from '@palimpsest/knowledge/errors';
import type { ReadModels } from '@palimpsest/knowledge/read-models';
import type { Position } from '@palimpsest/knowledge/values';

/**
 * Resolves when `position` is reached, however long a rebuild takes, or when `signal` aborts. A loop over `reached` would never end once
 * the read models have stopped, and would let nothing else run.
 * @throws Unavailable if the read models stop
 */
export const untilReached = async (readModels: Pick<ReadModels, 'reached'>, position: Position, signal: AbortSignal): Promise<void> => {
  const isReached = await readModels.reached(position, undefined, signal);
  if (!isReached && !signal.aborted) throw new Unavailable(`the read models stopped before they reached position ${position}`);
};
