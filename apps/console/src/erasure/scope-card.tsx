import { useState } from 'react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ScopeErasure } from '@palimpsest/client';
import { dateTime } from '../format/format.ts';
import { useSession } from '../session/session.ts';
import { ProblemNotice } from '../ui/problem-notice.tsx';
import { StatusBadge } from '../ui/status-badge.tsx';
import { ConfirmByName } from './confirm-by-name.tsx';
import { ErasureProgress } from './erasure-progress.tsx';
import { History } from './history.tsx';
import { HoldScope } from './hold-scope.tsx';
import { RemoveHistory } from './remove-history.tsx';
import { useHistory } from './use-erasures.ts';

type Props = Readonly<{ view: ScopeErasure; onDone: (what: string) => void }>;

/** A scope: whether it is held or erased, and what can be done. */
export function ScopeCard({ view, onDone }: Props) {
  const { client } = useSession();
  const queries = useQueryClient();
  const [asked, setAsked] = useState<'hold' | 'history' | 'erase'>();
  const { scope, held, state } = view;
  const { data: history, error } = useHistory(scope, state === 'none');
  const release = useMutation({
    mutationFn: () => client.erasures.release(scope),
    onSuccess: () => onDone(`${scope} is released.`),
    onSettled: () => queries.invalidateQueries({ queryKey: ['erasures'] }),
  });
  const close = (): void => setAsked(undefined);
  const named = <span className="visually-hidden"> {scope}</span>;
  const of = <span className="visually-hidden"> of {scope}</span>;
  const heading = `erasure-${scope}`;
  return (
    <li className="card letter" aria-labelledby={heading}>
      <div className="letter-head">
        <div>
          <h3 className="breakable" id={heading}>
            {scope}
          </h3>
          {held && (
            <p>
              <StatusBadge status="held" /> since <time dateTime={held.since}>{dateTime(held.since)}</time>: {held.reason}
            </p>
          )}
          {state === 'none' && history && <History history={history} isHeld={held !== undefined} />}
        </div>
        {state === 'none' && (
          <div className="buttons">
            {held ? (
              <button type="button" className="button" disabled={release.isPending} onClick={() => release.mutate()}>
                Release{named}
              </button>
            ) : (
              <>
                <button type="button" className="button" onClick={() => setAsked('hold')}>
                  Hold{named}
                </button>
                <button
                  type="button"
                  className="button danger"
                  disabled={history?.running !== undefined}
                  onClick={() => setAsked('history')}
                >
                  Remove history{of}
                </button>
                <button type="button" className="button danger" onClick={() => setAsked('erase')}>
                  Erase{named}
                </button>
              </>
            )}
          </div>
        )}
      </div>
      <ProblemNotice error={release.error ?? error} />
      {state !== 'none' && <ErasureProgress of={scope} erasure={view} getReceipt={() => client.erasures.receipt(scope)} />}
      {asked === 'hold' && <HoldScope scope={scope} onClose={close} onDone={onDone} />}
      {asked === 'history' && <RemoveHistory scope={scope} onClose={close} onDone={onDone} />}
      {asked === 'erase' && <EraseScope scope={scope} onClose={close} onDone={onDone} />}
    </li>
  );
}

function EraseScope({ scope, onClose, onDone }: Readonly<{ scope: string; onClose: () => void; onDone: (what: string) => void }>) {
  const { client } = useSession();
  const queries = useQueryClient();
  const erase = useMutation({
    mutationFn: () => client.erasures.start(scope, scope),
    onSuccess: async () => {
      onDone(`The key of ${scope} is destroyed.`);
      // Any page may show something of it.
      await queries.invalidateQueries();
      onClose();
    },
  });
  return (
    <ConfirmByName
      title={`Erase ${scope}?`}
      name={scope}
      label="Name of the scope"
      busy={erase.isPending}
      error={erase.error}
      onConfirm={() => erase.mutate()}
      onClose={onClose}
    >
      <p>
        Its key is destroyed. No one can read its documents, passages and vectors any more: on the log, in uploads, snapshots and exports.
        What was derived from it is removed from the files, and a receipt is signed.
      </p>
      <p>
        <strong>This cannot be undone or stopped</strong>, and the scope cannot be used again.
      </p>
    </ConfirmByName>
  );
}
