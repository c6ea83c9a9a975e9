import { useState } from 'react';
import type { FormEvent } from 'react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { SwapView } from '@palimpsest/client';
import { useSession } from '../session/session.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Field } from '../ui/field.tsx';
import { ProblemNotice } from '../ui/problem-notice.tsx';
import { isRunning } from './canary-facts.ts';
import { needsReason } from './swap-actions.ts';

type Props = Readonly<{ view: SwapView; generation: string; onClose: () => void; onDone: (what: string) => void }>;

/** Asks for the share of the callers. A larger share keeps those who are in. */
export function StartCanary({ view, generation, onClose, onDone }: Props) {
  const { client } = useSession();
  const queries = useQueryClient();
  const { scope, canary } = view;
  const running = isRunning(canary);
  const forced = needsReason(view);
  const [share, setShare] = useState(String(running ? canary?.share : 5));
  const [reason, setReason] = useState('');
  const start = useMutation({
    mutationFn: () =>
      client.swaps.startCanary(scope, {
        share: Number(share),
        // What was set at the start stays.
        ...(running && canary ? { thresholds: canary.thresholds } : {}),
        ...(forced ? { reason } : {}),
      }),
    onSuccess: async () => {
      onDone(`${generation} serves ${share} % of the callers of ${scope}.`);
      await queries.invalidateQueries({ queryKey: ['swaps'] });
      onClose();
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    start.mutate();
  };
  return (
    <Dialog title={running ? `Change the canary of ${scope}` : `Start a canary of ${scope}`} onClose={onClose}>
      <form onSubmit={submit}>
        <p>
          A share of the callers is served by {generation}. They are returned automatically if it serves them worse: slower, with more empty
          answers, or with results that no longer fit.
        </p>
        <Field label="Percent of the callers" hint="A caller stays on its side. A larger share keeps those who are in.">
          {(given) => (
            <input
              {...given}
              type="number"
              required
              min={0}
              max={100}
              step="any"
              value={share}
              onChange={({ target }) => setShare(target.value)}
            />
          )}
        </Field>
        {forced && (
          <Field label="Reason" hint="The evaluation found that this generation is worse. The reason is kept in the audit trail.">
            {(given) => <input {...given} required maxLength={500} value={reason} onChange={({ target }) => setReason(target.value)} />}
          </Field>
        )}
        <ProblemNotice error={start.error} />
        <div className="dialog-actions">
          <button type="button" className="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" className="button primary" disabled={start.isPending}>
            {running ? 'Change' : 'Start'}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
