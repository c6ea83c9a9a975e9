import { useState } from 'react';
import { useSession } from '../session/session.ts';
import { PageTitle } from '../shell/page-title.tsx';
import { CardList } from '../ui/card-list.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { OlderErasures } from './older-erasures.tsx';
import { Persons } from './persons.tsx';
import { ScopeCard } from './scope-card.tsx';
import { Tenants } from './tenants.tsx';
import { useScopeErasures } from './use-erasures.ts';

export function ErasurePage() {
  const { rights } = useSession();
  return (
    <>
      <PageTitle lead="Make data unreadable everywhere, also on the log and in copies of it, and get a signed receipt; remove old history.">
        Erasure
      </PageTitle>
      {rights.administers && <Scopes />}
      {rights.administers && <Persons />}
      {rights.operates && <Tenants />}
    </>
  );
}

function Scopes() {
  const { data, error, isPending, ...more } = useScopeErasures();
  const [done, setDone] = useState('');
  return (
    <section aria-labelledby="scopes">
      <h2 id="scopes">Scopes</h2>
      <CardList
        items={data}
        error={error}
        isPending={isPending}
        status={done}
        empty={
          <EmptyState title="Nothing to erase yet">
            <p>A scope can be erased once it has a knowledge base or a document.</p>
          </EmptyState>
        }
        card={(view) => <ScopeCard key={view.scope} view={view} onDone={setDone} />}
      />
      <OlderErasures of="scopes" {...more} />
    </section>
  );
}
