import { useState } from 'react';
import type { FormEvent } from 'react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { SwapView } from '@palimpsest/client';
import { ANY_TIME, timesIn, isLimited, windowText } from '../past/time-window.ts';
import { useSession } from '../session/session.ts';
import { Dialog } from '../ui/dialog.tsx';
import { ProblemNotice } from '../ui/problem-notice.tsx';
import { PastQueriesFields } from './past-queries-fields.tsx';
import { pastQueriesNamed } from './swap-actions.ts';

type Props = Readonly<{ view: SwapView; onClose: () => void; onDone: (what: string) => void }>;

/** Asks which past queries the evaluation asks. It runs in the background. */
export function EvaluateSwap({ view, onClose, onDone }: Props) {
  const { client } = useSession();
  const { scope } = view;
  const named = pastQueriesNamed(view);
  const queries = useQueryClient();
  const [past, setPast] = useState(ANY_TIME);
  const evaluate = useMutation({
    mutationFn: () => client.swaps.startEvaluation(scope, isLimited(past) ? { pastQueries: timesIn(past) } : {}),
    onSuccess: () => {
      onDone(`${scope} is being evaluated.`);
      onClose();
    },
    // Also after a refusal: someone else may have been faster.
    onSettled: () => queries.invalidateQueries({ queryKey: ['swaps'] }),
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    evaluate.mutate();
  };
  return (
    <Dialog title={`Evaluate the new generation of ${scope}`} onClose={onClose}>
      <form onSubmit={submit}>
        <p>Both generations are asked the same queries, and the verdict is recorded. Searches do not change.</p>
        <PastQueriesFields
          window={past}
          otherwise={named ? `those that the swap names (${windowText(named)})` : 'the newest'}
          onChange={setPast}
        />
        <ProblemNotice error={evaluate.error} />
        <div className="dialog-actions">
          <button type="button" className="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" className="button primary" disabled={evaluate.isPending}>
            Evaluate
          </button>
        </div>
      </form>
    </Dialog>
  );
}
