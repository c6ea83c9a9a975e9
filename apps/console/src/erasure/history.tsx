import { Link } from 'react-router';
import type { HistoryStatus } from '@palimpsest/client';
import { dateTime } from '../format/format.ts';
import { StatusBadge } from '../ui/status-badge.tsx';
import { removedText } from './history-facts.ts';

type Props = Readonly<{ history: HistoryStatus; isHeld: boolean }>;

/** How much of the history of a scope is on the log, how far its removal is, and what the last one removed. */
export function History({ history: { scope, earliest, running, last }, isHeld }: Props) {
  return (
    <div role="status">
      {running && (
        <p>
          <StatusBadge status="removing history" />{' '}
          {isHeld ? 'Waits until the scope is released.' : 'In the background, once no swap of the scope is being built.'} Up to position{' '}
          {running.upTo}, since <time dateTime={running.startedAt}>{dateTime(running.startedAt)}</time>
        </p>
      )}
      {earliest !== '0' && (
        <p>
          Earlier moments than <Link to={timelineAt(scope, earliest)}>position {earliest}</Link> cannot be searched any more.
        </p>
      )}
      {last && (
        <p className="muted">
          Last removal, <time dateTime={last.completedAt}>{dateTime(last.completedAt)}</time>: {removedText(last)}
        </p>
      )}
    </div>
  );
}

const timelineAt = (scope: string, asOf: string): string => `/timeline?${new URLSearchParams({ scope, asOf }).toString()}`;
