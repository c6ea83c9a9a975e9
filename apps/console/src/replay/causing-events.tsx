import { Link } from 'react-router';
import type { ReplayCause } from '@palimpsest/client';
import { dateTime } from '../format/format.ts';

/** Events that are listed of one cause. */
const SHOWN = 5;

export function CausingEvents({ events }: Readonly<{ events: ReplayCause['events'] }>) {
  if (events.length === 0) return null;
  return (
    <ul className="causing">
      {events.slice(0, SHOWN).map(({ position, type, at }) => (
        <li key={position}>
          <Link to={`/events/${position}`}>
            {type} at {position}
          </Link>{' '}
          <time className="muted" dateTime={at}>
            {dateTime(at)}
          </time>
        </li>
      ))}
      {events.length > SHOWN && <li className="muted">and {events.length - SHOWN} more</li>}
    </ul>
  );
}
