import { useState } from 'react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { ProblemError } from '@palimpsest/client';
import type { StrategyInUse } from '@palimpsest/client';
import { useSession } from '../session/session.ts';
import { Confirm } from '../ui/confirm.tsx';
import { ProblemNotice } from '../ui/problem-notice.tsx';
import { StatusBadge } from '../ui/status-badge.tsx';
import { admitted, strategyText } from './strategy-facts.ts';

/** What searches use that name no strategy. Administrators set what an evaluation admits; it is run on the command line. */
export function DefaultStrategy({ id, onSet }: Readonly<{ id: string; onSet: () => Promise<void> }>) {
  const { client, rights } = useSession();
  const queries = useQueryClient();
  const [chosen, setChosen] = useState<StrategyInUse>();
  const { data: shown, error } = useQuery({
    queryKey: ['strategy', id],
    queryFn: ({ signal }) => client.strategies.get(id, { signal }),
  });
  const set = useMutation({
    mutationFn: ({ strategy }: StrategyInUse) => client.strategies.set(id, strategy),
    onSuccess: async (now) => {
      queries.setQueryData(['strategy', id], now);
      await onSet();
      setChosen(undefined);
    },
  });
  const choose = (strategy: StrategyInUse | undefined): void => {
    set.reset();
    setChosen(strategy);
  };
  // Keys that are limited by labels may read the knowledge base, but not this.
  if (error instanceof ProblemError && error.status === 403) return null;
  return (
    <section aria-labelledby="default-strategy">
      <h2 id="default-strategy">Default strategy</h2>
      <div className="card">
        <ProblemNotice error={error} />
        {shown && (
          <>
            <p>
              Searches that name no strategy use <strong>{strategyText(shown.used)}</strong>.
            </p>
            {shown.detail !== undefined && <p className="muted">{shown.detail}</p>}
            {shown.evaluation && (
              <p>
                <StatusBadge status={shown.evaluation.verdict === 'not-worse' ? 'not worse' : shown.evaluation.verdict} />{' '}
                {strategyText(shown.evaluation)} compared with {strategyText(shown.evaluation.against)}:{' '}
                {shown.evaluation.reasons.join('; ')}
              </p>
            )}
            {rights.administers && (
              <>
                <p className="hint breakable">
                  Another one is set once an evaluation on judged queries found that it is not worse:{' '}
                  <code>palimpsest strategy evaluate {id} DenseSparseRerank</code>
                </p>
                <div className="buttons">
                  {admitted(shown).map((strategy) => (
                    <button key={strategy.strategy} type="button" className="button" onClick={() => choose(strategy)}>
                      Use {strategy.strategy}
                    </button>
                  ))}
                </div>
              </>
            )}
          </>
        )}
      </div>
      {chosen && (
        <Confirm
          title={`Use ${chosen.strategy}?`}
          action="Use it"
          busy={set.isPending}
          error={set.error}
          onConfirm={() => set.mutate(chosen)}
          onClose={() => choose(undefined)}
        >
          <p>Searches of this knowledge base that name no strategy use {strategyText(chosen)} from now on.</p>
        </Confirm>
      )}
    </section>
  );
}
