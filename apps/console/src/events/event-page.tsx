import type { ReactNode } from 'react';
import { Link, useParams } from 'react-router';
import { useQuery } from '@tanstack/react-query';
import { ProblemError } from '@palimpsest/client';
import type { EventContent, EventView } from '@palimpsest/client';
import { bytes, dateTime } from '../format/format.ts';
import { replayPath, traceOf } from '../replay/trace.ts';
import { useClient } from '../session/session.ts';
import { PageTitle } from '../shell/page-title.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { ProblemNotice } from '../ui/problem-notice.tsx';

const CONTENT: Readonly<Record<EventContent, string>> = {
  open: 'readable with your key',
  withheld: 'withheld: your key can see that this event exists, but not its data',
  erased: 'erased: the encryption key of its scope was destroyed',
  unreadable: 'unreadable: this version of Palimpsest does not know its format',
};

export function EventPage() {
  const { position = '' } = useParams();
  const client = useClient();
  const { data: event, error } = useQuery({
    queryKey: ['event', position],
    queryFn: ({ signal }) => client.events.get(position, { signal }),
    staleTime: Infinity,
  });
  if (event !== undefined) return <Shown event={event} />;
  return (
    <>
      <PageTitle>Event</PageTitle>
      {error instanceof ProblemError && error.status === 404 ? (
        <EmptyState title="Event not found">
          <p>
            It does not exist, or your key has no access to it. <Link to="/events">All events</Link>
          </p>
        </EmptyState>
      ) : (
        <>
          <ProblemNotice error={error} />
          {error === null && (
            <p className="muted" role="status">
              Loading…
            </p>
          )}
        </>
      )}
    </>
  );
}

const Fact = ({ name, children }: Readonly<{ name: string; children: ReactNode }>) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);
const filtered = (name: string, value: string): string => `/events?${new URLSearchParams({ [name]: value }).toString()}`;

function Shown({ event }: Readonly<{ event: EventView }>) {
  const {
    position,
    type,
    schemaVersion,
    stream,
    revision,
    recordedAt,
    actor,
    correlationId,
    causationId,
    scope,
    documentId,
    content,
    data,
  } = event;
  const traceId = traceOf(event);
  const replay = traceId !== undefined && (
    <Link className="button" to={replayPath(traceId)}>
      Replay this search
    </Link>
  );
  return (
    <>
      <nav className="crumbs" aria-label="Breadcrumb">
        <Link to="/events">Events</Link> › <Link to={filtered('type', type)}>{type}</Link>
      </nav>
      <PageTitle actions={replay || undefined}>{`${type} at ${position}`}</PageTitle>
      <dl className="facts card">
        <Fact name="Recorded">
          <time dateTime={recordedAt}>{dateTime(recordedAt)}</time>
        </Fact>
        <Fact name="Stream">
          {stream === undefined ? (
            <>withheld, revision {revision}</>
          ) : (
            <>
              <Link className="breakable" to={filtered('stream', stream)}>
                {stream}
              </Link>
              , revision {revision}
            </>
          )}
        </Fact>
        {documentId !== undefined && (
          <Fact name="Document">
            <Link to={`/documents/${documentId}`}>
              <code className="id">{documentId}</code>
            </Link>
          </Fact>
        )}
        {scope !== undefined && <Fact name="Scope">{scope}</Fact>}
        <Fact name="Actor">{actor}</Fact>
        <Fact name="Correlation ID">
          <code className="id">{correlationId}</code>
        </Fact>
        {causationId !== undefined && (
          <Fact name="Caused by">
            <code className="id">{causationId}</code>
          </Fact>
        )}
        <Fact name="Schema">
          version {schemaVersion}, {bytes(event.bytes)} on the log
        </Fact>
        <Fact name="Content">{CONTENT[content]}</Fact>
      </dl>
      {data !== undefined && (
        <section aria-labelledby="data">
          <h2 id="data">Event data</h2>
          <pre className="card" tabIndex={0} aria-label="The event’s data">
            {JSON.stringify(data, null, 2)}
          </pre>
        </section>
      )}
    </>
  );
}
