import { useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { useSession } from '../session/session.ts';
import { PageTitle } from '../shell/page-title.tsx';
import { CardList } from '../ui/card-list.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { AddModel } from './add-model.tsx';
import { ModelCard } from './model-card.tsx';

const POLL_MS = 10_000;

export function ModelsPage() {
  const { client, rights } = useSession();
  const [adding, setAdding] = useState(false);
  const [done, setDone] = useState('');
  const { data, error, isPending } = useQuery({
    queryKey: ['models'],
    queryFn: ({ signal }) => client.models.list({ signal }),
    refetchInterval: POLL_MS,
  });
  const add = (
    <button type="button" className="button primary" onClick={() => setAdding(true)}>
      Add a model
    </button>
  );
  return (
    <>
      <PageTitle
        lead="Embedding models of the installation. A scope is moved to another one on the page “Swaps”."
        actions={rights.operates && add}
      >
        Models
      </PageTitle>
      <CardList
        items={data}
        error={error}
        isPending={isPending}
        status={done}
        empty={
          <EmptyState title="No embedding model">
            <p>Without a model, passages are found by words only. An operator can add one here.</p>
          </EmptyState>
        }
        card={(model) => <ModelCard key={model.id} model={model} onDone={setDone} />}
      />
      {adding && <AddModel onClose={() => setAdding(false)} onDone={setDone} />}
    </>
  );
}
