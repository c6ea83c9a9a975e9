import { useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { ProblemError, type PalimpsestClient, type SwapView } from '@palimpsest/client';
import { scopesFor } from '../knowledge-bases/scopes.ts';
import { useVisible } from '../live/use-visible.ts';
import { useSession } from '../session/session.ts';
import { PageTitle } from '../shell/page-title.tsx';
import { CardList } from '../ui/card-list.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { SwapCard } from './swap-card.tsx';

/** While a generation is built, waits for a cut-over, or is evaluated, and otherwise. */
const POLL_MS = { busy: 1_000, idle: 10_000 } as const;

/** A scope without documents has no model yet. */
const swapOf = async (client: PalimpsestClient, scope: string, signal: AbortSignal): Promise<readonly SwapView[]> => {
  try {
    return [await client.swaps.get(scope, { signal })];
  } catch (error) {
    if (error instanceof ProblemError && error.status === 404) return [];
    throw error;
  }
};

const isBusy = ({ state, evaluationRun }: SwapView): boolean => state !== 'idle' || evaluationRun?.state === 'evaluating';

const ordered = (swaps: readonly SwapView[]): readonly SwapView[] =>
  swaps.toSorted((a, b) => Number(a.state === 'idle') - Number(b.state === 'idle') || a.scope.localeCompare(b.scope));

/** The scopes that the key names, those of readable knowledge bases, and those with more than one generation. */
function useSwaps() {
  const { client, caller } = useSession();
  const isVisible = useVisible();
  return useQuery({
    queryKey: ['swaps'],
    queryFn: async ({ signal }) => {
      const [running, bases] = await Promise.all([client.swaps.list({ signal }), client.knowledgeBases.list({ signal })]);
      const known = new Set(running.map(({ scope }) => scope));
      const others = new Set([...scopesFor(caller), ...bases].map(({ scope }) => scope).filter((scope) => !known.has(scope)));
      return ordered([...running, ...(await Promise.all([...others].map((scope) => swapOf(client, scope, signal)))).flat()]);
    },
    refetchInterval: ({ state: { data = [] } }) => (data.some(isBusy) ? POLL_MS.busy : POLL_MS.idle),
    enabled: isVisible,
  });
}

export function SwapsPage() {
  const { data, error, isPending } = useSwaps();
  const [done, setDone] = useState('');
  return (
    <>
      <PageTitle lead="Move a scope to another embedding model while it serves searches: build, cut over, roll back, retire.">
        Swaps
      </PageTitle>
      <CardList
        items={data}
        error={error}
        isPending={isPending}
        status={done}
        empty={
          <EmptyState title="No scope with documents yet">
            <p>A scope has a model once its first document is indexed.</p>
          </EmptyState>
        }
        card={(swap) => <SwapCard key={swap.scope} view={swap} onDone={setDone} />}
      />
    </>
  );
}
