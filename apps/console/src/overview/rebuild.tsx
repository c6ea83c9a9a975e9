import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { RebuildView } from '@palimpsest/client';
import { count, dateTime } from '../format/format.ts';
import { useSession } from '../session/session.ts';
import { ProblemNotice } from '../ui/problem-notice.tsx';
import { StatusBadge } from '../ui/status-badge.tsx';
import { rebuildActionsOf, rebuildFacts, type RebuildAction } from './rebuild-facts.ts';

const POLL_MS = 2_000;
const QUERY = ['rebuild'];

/** The running rebuild of the read models, with what can be done; otherwise how the last one ended. For operators. */
export function Rebuild() {
  const { client } = useSession();
  // Where a gateway does not serve these routes, there is nothing to show.
  const { data } = useQuery({
    queryKey: QUERY,
    queryFn: ({ signal }) => client.operations.rebuildStatus({ signal }),
    refetchInterval: POLL_MS,
    retry: false,
  });
  return data === undefined || data.state === 'none' ? null : <Shown rebuild={data} />;
}

function Shown({ rebuild }: Readonly<{ rebuild: RebuildView }>) {
  const { client } = useSession();
  const queries = useQueryClient();
  const act = useMutation({
    mutationFn: (action: RebuildAction) => client.operations[action.call](),
    // Also after a refusal: it may have ended.
    onSettled: () => queries.invalidateQueries({ queryKey: QUERY }),
  });
  const { state, positions = { done: 0, total: 0 }, startedAt, reason } = rebuild;
  const actions = rebuildActionsOf(rebuild);
  return (
    <section aria-labelledby="rebuild">
      <h2 id="rebuild">
        Rebuild of the read models <StatusBadge status={state} />
      </h2>
      <div className="card letter">
        <div className="letter-head">
          <div>
            {actions.length > 0 && (
              <p className="swap-bar">
                <progress value={positions.total === 0 ? 0 : positions.done / positions.total} aria-label="Positions of the log" />
                <span>
                  {count(positions.done)} of {count(positions.total)} positions
                </span>
              </p>
            )}
            <p>
              {startedAt !== undefined && (
                <>
                  Started <time dateTime={startedAt}>{dateTime(startedAt)}</time>
                </>
              )}
              {rebuildFacts(rebuild).map((fact) => ` · ${fact}`)}
            </p>
            {reason !== undefined && <p className="bad-text">{reason}</p>}
          </div>
          <div className="buttons">
            {actions.map((action) => (
              <button
                key={action.call}
                type="button"
                className={`button${action.isDanger ? ' danger' : ''}`}
                disabled={act.isPending}
                onClick={() => act.mutate(action)}
              >
                {action.name}
                <span className="visually-hidden"> the rebuild</span>
              </button>
            ))}
          </div>
        </div>
        <ProblemNotice error={act.error} />
      </div>
    </section>
  );
}
