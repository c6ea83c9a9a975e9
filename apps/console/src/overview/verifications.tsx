import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { VerificationHistory, VerificationRecord } from '@palimpsest/client';
import { actorText, dateTime } from '../format/format.ts';
import { useSession } from '../session/session.ts';
import { ProblemNotice } from '../ui/problem-notice.tsx';
import { StatusBadge } from '../ui/status-badge.tsx';
import { LogCheck } from './log-check.tsx';
import { isRepairable, lastCompleted, repairText, resultOf, scheduleText, sizeOf, stateOf } from './verification-facts.ts';

const POLL_MS = 5_000;
const QUERY = ['verifications'];
const BADGES = { none: 'waiting', ok: 'ok', differs: 'degraded', running: 'running' } as const;

/** The last verification of the read models and its history, with what can be done. For operators. */
export function Verifications() {
  const { client } = useSession();
  // Where a gateway does not serve this route, there is nothing to show.
  const { data } = useQuery({
    queryKey: QUERY,
    queryFn: ({ signal }) => client.operations.verifications({ signal }),
    refetchInterval: POLL_MS,
    retry: false,
  });
  return (
    data && (
      <>
        <Shown history={data} />
        <LogCheck />
      </>
    )
  );
}

function Shown({ history }: Readonly<{ history: VerificationHistory }>) {
  const { client } = useSession();
  const queries = useQueryClient();
  const act = useMutation({
    mutationFn: async (action: 'verify' | 'repair') => void (await client.operations[action]()),
    // Also after a refusal: the history may have changed.
    onSettled: () => queries.invalidateQueries({ queryKey: QUERY }),
  });
  const state = act.isPending ? 'running' : stateOf(history);
  const last = lastCompleted(history);
  return (
    <section aria-labelledby="verifications">
      <h2 id="verifications">
        Verification of the read models <StatusBadge status={BADGES[state]}>{state === 'none' ? 'not yet' : state}</StatusBadge>
      </h2>
      <div className="card letter">
        <div className="letter-head">
          <div>
            <p>{last === undefined ? 'Not verified since the process started.' : <Line verification={last} />}</p>
            <p className="muted">{scheduleText(history)}</p>
          </div>
          <div className="buttons">
            <button type="button" className="button" disabled={state === 'running'} onClick={() => act.mutate('verify')}>
              Verify now
            </button>
            {isRepairable(history) && (
              <button type="button" className="button" disabled={state === 'running'} onClick={() => act.mutate('repair')}>
                Repair
              </button>
            )}
          </div>
        </div>
        <ProblemNotice error={act.error} />
        <Past history={history} />
      </div>
    </section>
  );
}

function Line({ verification }: Readonly<{ verification: VerificationRecord }>) {
  return (
    <>
      <time dateTime={verification.startedAt}>{dateTime(verification.startedAt)}</time> · {resultOf(verification)}
    </>
  );
}

function Past({ history: { verifications, repairs } }: Readonly<{ history: VerificationHistory }>) {
  if (verifications.length + repairs.length === 0) return null;
  return (
    <details>
      <summary>History</summary>
      <ul>
        {verifications.map((one) => (
          <li key={`${one.startedAt} ${one.trigger}`}>
            <Line verification={one} />{' '}
            <span className="muted">{[one.trigger, `${one.seconds.toFixed(1)} s`, sizeOf(one)].filter(Boolean).join(' · ')}</span>
          </li>
        ))}
        {repairs.map((one) => (
          <li key={one.repairedAt}>
            <time dateTime={one.repairedAt}>{dateTime(one.repairedAt)}</time> · {repairText(one)}{' '}
            <span className="muted">by {actorText(one.by)}</span>
          </li>
        ))}
      </ul>
    </details>
  );
}
