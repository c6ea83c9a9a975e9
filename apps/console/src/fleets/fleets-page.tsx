import { useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { useVisible } from '../live/use-visible.ts';
import { useSession } from '../session/session.ts';
import { PageTitle } from '../shell/page-title.tsx';
import { CardList } from '../ui/card-list.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { FleetCard } from './fleet-card.tsx';
import { FleetPlans } from './fleet-plans.tsx';
import { StartFleet } from './start-fleet.tsx';

/** While a fleet works, and otherwise. */
const POLL_MS = { busy: 1_000, idle: 10_000 } as const;

export function FleetsPage() {
  const { client } = useSession();
  const isVisible = useVisible();
  const [done, setDone] = useState('');
  const [isStarting, setStarting] = useState(false);
  const { data, error, isPending } = useQuery({
    queryKey: ['fleets'],
    queryFn: ({ signal }) => client.fleets.list({ signal }),
    refetchInterval: ({ state: { data: fleets = [] } }) =>
      fleets.some(({ unfinished, state }) => unfinished > 0 || state === 'running' || state === 'assigning') ? POLL_MS.busy : POLL_MS.idle,
    enabled: isVisible,
  });
  return (
    <>
      <PageTitle lead="Move many scopes to another embedding model in waves. A rule stops a fleet if the model is worse or fails.">
        Fleets
      </PageTitle>
      <p>
        <button type="button" className="button primary" onClick={() => setStarting(true)}>
          Start a fleet
        </button>
      </p>
      <FleetPlans onDone={setDone} />
      <CardList
        items={data}
        error={error}
        isPending={isPending}
        status={done}
        empty={
          <EmptyState title="No fleet yet">
            <p>A fleet gives each scope a swap with a gate: first a few scopes, then all.</p>
          </EmptyState>
        }
        card={(fleet) => <FleetCard key={fleet.id} fleet={fleet} onDone={setDone} />}
      />
      {isStarting && <StartFleet onClose={() => setStarting(false)} onDone={setDone} />}
    </>
  );
}
