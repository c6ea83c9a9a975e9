import { useState } from 'react';
import type { FormEvent } from 'react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useSession } from '../session/session.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Field } from '../ui/field.tsx';
import { ProblemNotice } from '../ui/problem-notice.tsx';

type Props = Readonly<{ scope: string; onClose: () => void; onDone: (what: string) => void }>;

/** Asks why the scope must not be erased. */
export function HoldScope({ scope, onClose, onDone }: Props) {
  const { client } = useSession();
  const queries = useQueryClient();
  const [reason, setReason] = useState('');
  const hold = useMutation({
    mutationFn: () => client.erasures.hold(scope, reason),
    onSuccess: async () => {
      onDone(`${scope} is held.`);
      await queries.invalidateQueries({ queryKey: ['erasures'] });
      onClose();
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    hold.mutate();
  };
  return (
    <Dialog title={`Hold ${scope}?`} onClose={onClose}>
      <form onSubmit={submit}>
        <p>
          Until it is released, it cannot be erased, nor a person with documents in it, and its old history stays. Documents can still be
          added, changed and deleted.
        </p>
        <Field label="Reason" hint="For other administrators.">
          {(given) => <input {...given} required maxLength={500} value={reason} onChange={({ target }) => setReason(target.value)} />}
        </Field>
        <ProblemNotice error={hold.error} />
        <div className="dialog-actions">
          <button type="button" className="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" className="button primary" disabled={hold.isPending}>
            Hold
          </button>
        </div>
      </form>
    </Dialog>
  );
}
