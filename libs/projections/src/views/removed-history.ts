import type { Journal } from '@palimpsest/contracts';
import { NotCaughtUp } from '@palimpsest/knowledge/errors';
import { position, type Position, type TenantId } from '@palimpsest/knowledge/values';

/** Whether facts after `after` were removed from the log: what had read the log until then cannot go on from there. */
export const lacksHistoryAfter = async (journal: Journal, after: Position): Promise<boolean> => {
  for await (const { event } of journal.readAll({ from: after, types: ['DocumentHistoryRemoved'] }))
    if (event.type === 'DocumentHistoryRemoved' && position(event.data.removedUpTo) > after) return true;
  return false;
};

/**
 * A view that was built while history was removed may lack some of it. `began`: the end of the log when its build began.
 * @throws NotCaughtUp
 */
export const refuseIncomplete = async (journal: Journal, began: Position, tenant?: TenantId): Promise<void> => {
  for await (const { metadata } of journal.log.readAll({ from: began, types: ['DocumentHistoryRemoved'] }))
    if (tenant === undefined || metadata['tenant'] === tenant)
      throw new NotCaughtUp('history was removed from the log while the read models of a moment were built from it; repeat the request');
};
