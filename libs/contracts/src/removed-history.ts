import { HistoryRemoved } from '@palimpsest/knowledge/errors';
import { historyStream } from '@palimpsest/knowledge/history';
import type { EventLog } from '@palimpsest/knowledge/ports';
import { position, START, type Position, type TenantScope } from '@palimpsest/knowledge/values';

/** The earliest position of a scope that can still be answered, and that of the event that made it so. START if all can. */
export const earliestAnswered = async (
  log: Pick<EventLog, 'readStream'>,
  scope: TenantScope,
): Promise<Readonly<{ earliest: Position; event: Position }>> => {
  // Each event of the stream names it.
  for await (const { data, position: event } of log.readStream(historyStream(scope), { direction: 'backwards', limit: 1 }))
    return { earliest: position(String(data['earliest'])), event };
  return { earliest: START, event: START };
};

/** @throws HistoryRemoved if a scope does not have everything any more that it had at the position */
export const refuseRemovedHistory = async (
  log: Pick<EventLog, 'readStream'>,
  scopes: Iterable<TenantScope>,
  at: Position,
): Promise<void> => {
  for (const scope of scopes) {
    const { earliest, event } = await earliestAnswered(log, scope);
    if (at < earliest)
      throw new HistoryRemoved(
        `the history of scope "${scope.scope}" at position ${at} was removed (event at position ${event})`,
        String(earliest),
      );
  }
};
