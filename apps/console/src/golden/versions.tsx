import { Link } from 'react-router';
import { actorText, dateTime } from '../format/format.ts';
import { savesOf } from './golden-history.ts';
import { useGoldenHistory, type SetName } from './use-golden.ts';

/** When the set was saved, and by whom, as its latest events say. */
export function Versions({ scope, set }: SetName) {
  const saves = savesOf(useGoldenHistory(scope).data ?? [], set);
  if (saves.length === 0) return null;
  return (
    <details className="timings">
      <summary>Latest changes</summary>
      <ul>
        {saves.map(({ position, version, recordedAt, actor, removed }) => (
          <li key={position}>
            <Link to={`/events/${position}`}>{removed ? `Removed at version ${version}` : `Version ${version}`}</Link>,{' '}
            <time dateTime={recordedAt}>{dateTime(recordedAt)}</time>, by <span title={actor}>{actorText(actor)}</span>
          </li>
        ))}
      </ul>
    </details>
  );
}
