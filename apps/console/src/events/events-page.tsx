import { useState } from 'react';
import { useSearchParams } from 'react-router';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { EventPage, EventView } from '@palimpsest/client';
import { LiveBadge } from '../live/live-badge.tsx';
import { useStream } from '../live/use-stream.ts';
import { useSession } from '../session/session.ts';
import { PageTitle } from '../shell/page-title.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { ProblemNotice } from '../ui/problem-notice.tsx';
import { eventFilterOf } from './event-filter.ts';
import { EventFilters } from './event-filters.tsx';
import { EventTable } from './event-table.tsx';
import { newestFirst, withArrived } from './newest-first.ts';

const PER_PAGE = 50;

export function EventsPage() {
  const { rights } = useSession();
  const [parameters, setParameters] = useSearchParams();
  const key = parameters.toString();
  return (
    <>
      <PageTitle
        lead={
          rights.reads
            ? 'Every event, in the order in which it was recorded. All other data is derived from these events.'
            : 'As an operator you can see that events exist. Their names and contents are visible to readers only.'
        }
      >
        Events
      </PageTitle>
      <EventFilters key={`filters ${key}`} parameters={parameters} onFilter={setParameters} />
      <EventList key={key} parameters={parameters} onAll={() => setParameters({})} />
    </>
  );
}

type ListProps = Readonly<{ parameters: URLSearchParams; onAll: () => void }>;

/** The list of one filter. Another filter mounts another list. */
function EventList({ parameters, onAll }: ListProps) {
  const { client } = useSession();
  const filter = eventFilterOf(parameters);
  const [following, setFollowing] = useState(false);
  const [arrived, setArrived] = useState<readonly EventView[]>([]);
  const listed = useInfiniteQuery({
    queryKey: ['events', filter],
    queryFn: ({ signal, pageParam }): Promise<EventPage> =>
      client.events.list({ ...filter, limit: PER_PAGE, cursor: pageParam }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    refetchOnWindowFocus: false,
    staleTime: Infinity,
    gcTime: 0,
  });
  const head = arrived[0]?.position ?? listed.data?.pages[0]?.head;
  const { state, error } = useStream<EventView>({
    on: following && head !== undefined,
    of: parameters.toString(),
    open: (options) => client.events.follow(filter, { ...options, after: head }),
    onItem: (event) => setArrived((before) => withArrived(before, event)),
  });
  const events = newestFirst(arrived, listed.data?.pages.flatMap((page) => page.events) ?? []);
  return (
    <section aria-labelledby="events-title" aria-busy={listed.isFetching}>
      <div className="list-head">
        <h2 id="events-title" className="visually-hidden">
          The log
        </h2>
        <label className="choice">
          <input type="checkbox" role="switch" checked={following} onChange={() => setFollowing(!following)} /> <span>Follow live</span>
        </label>
        {following && <LiveBadge state={state} />}
      </div>
      <ProblemNotice error={listed.error ?? error} />
      {listed.isPending && (
        <p className="muted" role="status">
          Loading…
        </p>
      )}
      {events.length > 0 && <EventTable events={events} />}
      {listed.isSuccess && events.length === 0 && !listed.hasNextPage && <NoEvents filtered={parameters.size > 0} onAll={onAll} />}
      {listed.hasNextPage && (
        <Earlier busy={listed.isFetchingNextPage} none={events.length === 0} onMore={() => void listed.fetchNextPage()} />
      )}
    </section>
  );
}

function NoEvents({ filtered, onAll }: Readonly<{ filtered: boolean; onAll: () => void }>) {
  return (
    <EmptyState title={filtered ? 'No matching events' : 'No events yet'}>
      {filtered ? (
        <p>
          <button type="button" className="button" onClick={onAll}>
            Show all events
          </button>
        </p>
      ) : (
        <p>Everything that happens from now on is recorded here, starting with the first upload.</p>
      )}
    </EmptyState>
  );
}

/** One request examines a limited number of events, so an empty page does not mean that there are no older matches. */
function Earlier({ busy, none, onMore }: Readonly<{ busy: boolean; none: boolean; onMore: () => void }>) {
  const name = none ? 'No match among the newest events. Search older ones' : 'Show older events';
  return (
    <p className="more">
      <button type="button" className="button" disabled={busy} onClick={onMore}>
        {busy ? 'Searching…' : name}
      </button>
    </p>
  );
}
