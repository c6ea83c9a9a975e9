import { useState } from 'react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { FleetView } from '@palimpsest/client';
import { counted, dateTime } from '../format/format.ts';
import { useSession } from '../session/session.ts';
import { Confirm } from '../ui/confirm.tsx';
import { ProblemNotice } from '../ui/problem-notice.tsx';
import { StatusBadge } from '../ui/status-badge.tsx';
import { FLEET_WORDS, fleetActionsOf, retiredText, type FleetAction } from './fleet-actions.ts';
import { FleetAttention, FleetWaves } from './fleet-waves.tsx';

const PAUSED_BY = { person: 'by a person', rule: 'by its rule', platform: 'by the platform' } as const;

type Props = Readonly<{ fleet: FleetView; onDone: (what: string) => void }>;

/** A fleet with its waves, the scopes that need attention, and what can be done now. */
export function FleetCard({ fleet, onDone }: Props) {
  const { client } = useSession();
  const queries = useQueryClient();
  const [asked, setAsked] = useState<FleetAction>();
  const { id, tenant, state, embeddingVersion, rule, paused, unfinished, startedAt } = fleet;
  const act = useMutation({
    mutationFn: (action: FleetAction): Promise<unknown> => client.fleets[action](id),
    onSuccess: (_, action) => onDone(`Fleet ${id} ${FLEET_WORDS[action].done}`),
    // Also after a refusal: someone else may have been faster.
    onSettled: () => queries.invalidateQueries({ queryKey: ['fleets'] }),
  });
  const begin = (action: FleetAction): void => (FLEET_WORDS[action].question ? setAsked(action) : act.mutate(action));
  const retired = retiredText(fleet);
  const question = asked && FLEET_WORDS[asked].question;
  return (
    <li className="card letter" aria-labelledby={`fleet-${id}`}>
      <div className="letter-head">
        <div>
          <h2 id={`fleet-${id}`}>
            Fleet <code>{id}</code>
          </h2>
          <p>
            <StatusBadge status={state} /> {tenant === undefined ? 'all tenants' : `tenant ${tenant}`} to{' '}
            <code className="breakable">{embeddingVersion}</code>
            {fleet.chunking && ', all documents chunked again'}, started <time dateTime={startedAt}>{dateTime(startedAt)}</time>
            {unfinished > 0 && `, ${counted(unfinished, 'scope')} to do`}
          </p>
          {paused && (
            <p>
              Paused {PAUSED_BY[paused.by]}: {paused.reason}
            </p>
          )}
          {retired && <p>{retired}</p>}
          <p className="muted">
            It stops at more than {rule.worsePercent} % worse or {rule.faults} failed scopes of a wave. Undecided scopes{' '}
            {rule.undecided === 'wait' ? 'wait' : 'are cut over'}.
          </p>
        </div>
        <div className="buttons">
          {fleetActionsOf(fleet).map((action, index) => (
            <button
              key={action}
              type="button"
              className={`button${index === 0 ? ' primary' : ''}${['cancel', 'rollBack', 'retire'].includes(action) ? ' danger' : ''}`}
              disabled={act.isPending}
              onClick={() => begin(action)}
            >
              {FLEET_WORDS[action].name}
              <span className="visually-hidden"> of fleet {id}</span>
            </button>
          ))}
        </div>
      </div>
      {question === undefined && <ProblemNotice error={act.error} />}
      <FleetWaves fleet={fleet} />
      <FleetAttention fleet={fleet} />
      {asked && question && (
        <Confirm
          title={question.title}
          action={FLEET_WORDS[asked].name}
          busy={act.isPending}
          error={act.error}
          onConfirm={() => act.mutate(asked, { onSuccess: () => setAsked(undefined) })}
          onClose={() => (act.reset(), setAsked(undefined))}
        >
          <p>{question.text}</p>
        </Confirm>
      )}
    </li>
  );
}
