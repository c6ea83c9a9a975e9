import { Link } from 'react-router';
import type { TimelineEntry } from '@palimpsest/client';
import { dateTime } from '../format/format.ts';
import { isShown, type AsOf } from '../past/as-of.ts';
import { detailsOf, documentPathOf, happeningOf } from './entry-facts.ts';

type Props = Readonly<{ entries: readonly TimelineEntry[]; asOf: AsOf; onChoose: (asOf: string) => void }>;

/** What happened, newest first. What came after the moment is marked as later. */
export function TimelineList({ entries, asOf, onChoose }: Props) {
  return (
    <div className="table-box" role="region" aria-label="What happened" tabIndex={0}>
      <table className="timeline">
        <thead>
          <tr>
            <th scope="col">When</th>
            <th scope="col">What happened</th>
            <th scope="col" className="number">
              Position
            </th>
            <th scope="col">Moment</th>
          </tr>
        </thead>
        <tbody>
          {entries.map((entry) => (
            <Row
              key={entry.position}
              entry={entry}
              isLater={!isShown(entry, asOf)}
              isChosen={entry.position === asOf}
              onChoose={() => onChoose(entry.position)}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}

type RowProps = Readonly<{ entry: TimelineEntry; isLater: boolean; isChosen: boolean; onChoose: () => void }>;

function Row({ entry, isLater, isChosen, onChoose }: RowProps) {
  const { position, at } = entry;
  const happening = happeningOf(entry);
  const document = documentPathOf(entry);
  return (
    <tr className={isChosen ? 'chosen' : undefined}>
      <td className="when">
        <time dateTime={at}>{dateTime(at)}</time>
        {isLater && <span className="under">later</span>}
      </td>
      <th scope="row">
        <span className={`badge ${BADGES[entry.kind]}`}>{entry.kind}</span>{' '}
        {document === undefined ? happening : <Link to={document}>{happening}</Link>}
        <span className="under">{detailsOf(entry).join(' · ')}</span>
      </th>
      <td className="number">
        <Link to={`/events/${position}`}>{position}</Link>
      </td>
      <td>
        <button type="button" className="button quiet small" aria-pressed={isChosen} onClick={onChoose}>
          Choose<span className="visually-hidden"> the moment {position}</span>
        </button>
      </td>
    </tr>
  );
}

const BADGES: Readonly<Record<TimelineEntry['kind'], string>> = {
  arrived: 'good',
  changed: 'busy-still',
  left: 'waiting',
  failed: 'bad',
  model: 'plain',
  'knowledge-base': 'plain',
  unreadable: 'plain',
};
