import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { FleetPlanView } from '@palimpsest/client';
import { count, dateTime } from '../format/format.ts';
import { useSession } from '../session/session.ts';
import { ProblemNotice } from '../ui/problem-notice.tsx';
import { costOf, sumsOf } from './fleet-plan-facts.ts';

type Done = Readonly<{ onDone: (what: string) => void }>;

/** Plans that are not started, each with its approval and its start. */
export function FleetPlans({ onDone }: Done) {
  const { client } = useSession();
  const { data, error } = useQuery({ queryKey: ['fleets', 'plans'], queryFn: ({ signal }) => client.fleets.plans({ signal }) });
  return (
    <>
      <ProblemNotice error={error} />
      <ul className="letters">
        {data?.map((plan) => (
          <FleetPlanCard key={plan.id} plan={plan} onDone={onDone} />
        ))}
      </ul>
    </>
  );
}

function FleetPlanCard({ plan, onDone }: Done & Readonly<{ plan: FleetPlanView }>) {
  const { id, tenant, embeddingVersion, waves, plannedAt, approved, total } = plan;
  const { client } = useSession();
  const queries = useQueryClient();
  const act = useMutation({
    mutationFn: async (step: 'approve' | 'start'): Promise<unknown> =>
      step === 'approve' ? client.fleets.approvePlan(id) : client.fleets.start({ plan: id }),
    onSuccess: (_, step) => onDone(step === 'approve' ? `Plan ${id} is approved.` : `Fleet ${id} has started.`),
    onSettled: () => queries.invalidateQueries({ queryKey: ['fleets'] }),
  });
  return (
    <li className="card letter" aria-labelledby={`plan-${id}`}>
      <div className="letter-head">
        <div>
          <h2 id={`plan-${id}`}>
            Plan <code>{id}</code>
          </h2>
          <p>
            {tenant === undefined ? 'all tenants' : `tenant ${tenant}`} to <code className="breakable">{embeddingVersion}</code>
            {plan.chunking && ', all documents chunked again'}, in waves: {waves.join(', ')}. Made{' '}
            <time dateTime={plannedAt}>{dateTime(plannedAt)}</time>, {approved ? 'approved' : 'not approved'}.
          </p>
        </div>
        <div className="buttons">
          {!approved && (
            <button type="button" className="button" disabled={act.isPending} onClick={() => act.mutate('approve')}>
              Approve<span className="visually-hidden"> plan {id}</span>
            </button>
          )}
          <button type="button" className="button primary" disabled={act.isPending} onClick={() => act.mutate('start')}>
            Start<span className="visually-hidden"> plan {id}</span>
          </button>
        </div>
      </div>
      <ProblemNotice error={act.error} />
      <dl className="facts">
        {sumsOf(total).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <TenantsOfPlan plan={plan} />
    </li>
  );
}

function TenantsOfPlan({ plan: { id, tenants, left } }: Readonly<{ plan: FleetPlanView }>) {
  return (
    <>
      <div className="table-box" role="region" aria-label={`Tenants of plan ${id}`} tabIndex={0}>
        <table>
          <thead>
            <tr>
              {['Tenant', 'Scopes', 'Documents', 'Chunks', 'Tokens', 'Cost'].map((name, index) => (
                <th key={name} scope="col" className={index > 0 ? 'number' : undefined}>
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {tenants.map(({ tenant, scopes, documents, chunks, tokens, cost }) => (
              <tr key={tenant}>
                <th scope="row">{tenant}</th>
                {[scopes, documents, chunks, tokens].map((number, index) => (
                  <td key={index} className="number">
                    {count(number)}
                  </td>
                ))}
                <td className="number">{costOf(cost) ?? 'unknown'}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {left > 0 && <p className="muted">{count(left)} more scopes have the model, or a swap of their own.</p>}
    </>
  );
}
