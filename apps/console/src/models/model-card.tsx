import { useState } from 'react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ModelView } from '@palimpsest/client';
import { useSession } from '../session/session.ts';
import { Confirm } from '../ui/confirm.tsx';
import { ProblemNotice } from '../ui/problem-notice.tsx';
import { StatusBadge } from '../ui/status-badge.tsx';
import { factsOf, testFactsOf, type Fact } from './model-facts.ts';

type Props = Readonly<{ model: ModelView; onDone: (what: string) => void }>;

export function ModelCard({ model, onDone }: Props) {
  const { client, rights } = useSession();
  const queries = useQueryClient();
  const [confirming, setConfirming] = useState(false);
  const { id, version, current, available, problem, origin } = model;
  const refresh = (): Promise<void> => queries.invalidateQueries({ queryKey: ['models'] });
  const test = useMutation({ mutationFn: () => client.models.test(id), onSettled: refresh });
  const remove = useMutation({
    mutationFn: () => client.models.remove(id),
    onSuccess: async () => {
      onDone(`${version} was removed.`);
      await refresh();
    },
  });
  return (
    <li className="card letter">
      <div className="letter-head">
        <div>
          <h2 className="breakable">{version}</h2>
          <p>
            <StatusBadge status={available ? 'active' : 'failed'}>{available ? 'available' : 'not available'}</StatusBadge>
            {current && ' New scopes start with this model.'}
          </p>
        </div>
        {rights.operates && (
          <div className="buttons">
            <button type="button" className="button" disabled={test.isPending} onClick={() => test.mutate()}>
              {test.isPending ? 'Testing…' : 'Test'}
              <span className="visually-hidden"> {version}</span>
            </button>
            {origin === 'operator' && (
              <button type="button" className="button danger" onClick={() => setConfirming(true)}>
                Remove<span className="visually-hidden"> {version}</span>
              </button>
            )}
          </div>
        )}
      </div>
      {problem !== undefined && <p className="bad-text breakable">{problem}</p>}
      <Facts facts={factsOf(model)} />
      <ProblemNotice error={test.error} />
      {test.data && (
        <section aria-label={`Test of ${version}`}>
          <h3 role="status">The test has passed</h3>
          <Facts facts={testFactsOf(test.data)} />
        </section>
      )}
      {confirming && (
        <Confirm
          title="Remove this model?"
          action="Remove"
          busy={remove.isPending}
          error={remove.error}
          onConfirm={() => remove.mutate()}
          onClose={() => (remove.reset(), setConfirming(false))}
        >
          <p>
            <code className="breakable">{version}</code> is no longer available in any process. A model that a scope uses is not removed.
          </p>
        </Confirm>
      )}
    </li>
  );
}

function Facts({ facts }: Readonly<{ facts: readonly Fact[] }>) {
  return (
    <dl className="facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd className="breakable">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
