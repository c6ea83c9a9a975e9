import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { SwapView } from '@palimpsest/client';
import { dateTime } from '../format/format.ts';
import { useSession } from '../session/session.ts';
import { ProblemNotice } from '../ui/problem-notice.tsx';
import { chunkingText } from './swap-chunking.ts';
import { factsOf } from './plan-facts.ts';

type CardProps = Readonly<{ view: SwapView; onDone: (what: string) => void }>;

/** The latest plan of a scope, if it can still be started. */
export function OpenPlan({ view: { scope, state, plan }, onDone }: CardProps) {
  const { rights } = useSession();
  return rights.administers && plan && plan.started === undefined && state === 'idle' ? (
    <SwapPlan scope={scope} plan={plan} onDone={onDone} />
  ) : null;
}

type Props = Readonly<{ scope: string; plan: NonNullable<SwapView['plan']>; onDone: (what: string) => void }>;

/** Its figures, the approval of another person, and the start. */
function SwapPlan({ scope, plan: { plan, embeddingVersion, chunking, plannedAt, approved }, onDone }: Props) {
  const { client } = useSession();
  const queries = useQueryClient();
  const { data, error } = useQuery({
    queryKey: ['plan', scope, plan, approved],
    queryFn: ({ signal }) => client.swaps.latestPlan(scope, { signal }),
  });
  const act = useMutation({
    mutationFn: async (step: 'approve' | 'start'): Promise<unknown> =>
      step === 'approve' ? client.swaps.approvePlan(scope, plan) : client.swaps.start(scope, { plan }),
    onSuccess: (_, step) =>
      onDone(step === 'approve' ? `Plan ${plan} of ${scope} is approved.` : `${scope} is being moved to ${embeddingVersion}.`),
    onSettled: () => queries.invalidateQueries({ queryKey: ['swaps'] }),
  });
  return (
    <section className="evaluation" aria-label={`Plan of ${scope}`}>
      <p>
        Plan {plan} to <code className="breakable">{embeddingVersion}</code>
        {chunking && `, chunks: ${chunkingText(chunking)}`}, <time dateTime={plannedAt}>{dateTime(plannedAt)}</time>
        {approved ? ', approved' : ', not approved'}
      </p>
      <ProblemNotice error={error ?? act.error} />
      {data && (
        <dl className="facts">
          {factsOf(data).map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      )}
      <div className="buttons">
        {!approved && (
          <button type="button" className="button" disabled={act.isPending} onClick={() => act.mutate('approve')}>
            Approve the plan<span className="visually-hidden"> of {scope}</span>
          </button>
        )}
        <button type="button" className="button primary" disabled={act.isPending} onClick={() => act.mutate('start')}>
          Start the plan<span className="visually-hidden"> of {scope}</span>
        </button>
      </div>
    </section>
  );
}
