import { Link } from 'react-router';
import type { EventView } from '@palimpsest/client';
import { actorText, bytes, dateTime } from '../format/format.ts';

export function EventTable({ events }: Readonly<{ events: readonly EventView[] }>) {
  return (
    <div className="table-box" role="region" aria-label="Events" tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">Event</th>
            <th scope="col" className="number">
              Position
            </th>
            <th scope="col">Recorded</th>
            <th scope="col">Subject</th>
            <th scope="col">Actor</th>
            <th scope="col" className="number">
              Size
            </th>
          </tr>
        </thead>
        <tbody>
          {events.map((event) => (
            <tr key={event.position}>
              <th scope="row">
                <Link to={`/events/${event.position}`}>{event.type}</Link>
              </th>
              <td className="number">{event.position}</td>
              <td className="when">
                <time dateTime={event.recordedAt}>{dateTime(event.recordedAt)}</time>
              </td>
              <td>
                <Subject event={event} />
              </td>
              <td className="muted when" title={event.actor}>
                {actorText(event.actor)}
              </td>
              <td className="number">{bytes(event.bytes)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The subject of the event, as far as the caller may see it. */
function Subject({ event: { content, documentId, stream, scope, category } }: Readonly<{ event: EventView }>) {
  if (content === 'withheld') return <span className="muted">{category}, withheld</span>;
  return (
    <>
      {documentId === undefined ? (
        <span className="breakable about">{stream ?? category}</span>
      ) : (
        <Link to={`/documents/${documentId}`}>
          <code className="id">{documentId.slice(0, 12)}…</code>
        </Link>
      )}
      <span className="under">
        {scope ?? 'tenant'}
        {content === 'erased' && ', erased'}
        {content === 'unreadable' && ', unreadable'}
      </span>
    </>
  );
}
