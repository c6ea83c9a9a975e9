import { useState } from 'react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { REQUEST_LIMITS } from '@palimpsest/client';
import { useSession } from '../session/session.ts';
import { Field } from '../ui/field.tsx';
import { ConfirmByName } from './confirm-by-name.tsx';
import { olderText } from './history-facts.ts';

type Props = Readonly<{ scope: string; onClose: () => void; onDone: (what: string) => void }>;

/** Asks how much history stays, and says what will be gone. */
export function RemoveHistory({ scope, onClose, onDone }: Props) {
  const { client } = useSession();
  const queries = useQueryClient();
  const [days, setDays] = useState('365');
  const [base, setBase] = useState('');
  const { data: bases = [] } = useQuery({
    queryKey: ['knowledge-bases'],
    queryFn: ({ signal }) => client.knowledgeBases.list({ signal }),
  });
  const remove = useMutation({
    mutationFn: () => client.erasures.removeHistory(scope, Number(days), base === '' ? {} : { knowledgeBase: base }),
    onSuccess: async () => {
      onDone(`Old history of ${scope} is being removed.`);
      // Any page may show something of it.
      await queries.invalidateQueries();
      onClose();
    },
  });
  return (
    <ConfirmByName
      title={`Remove old history of ${scope}?`}
      name={scope}
      label="Name of the scope"
      action="Remove"
      busyAction="Removing…"
      busy={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      <div className="field-row">
        <Field label="Days of history that stay" hint="0 for none">
          {(given) => (
            <input
              {...given}
              type="number"
              required
              min={0}
              max={REQUEST_LIMITS.historyDays}
              step={1}
              value={days}
              onChange={({ target }) => setDays(target.value)}
            />
          )}
        </Field>
        <Field label="Knowledge base">
          {(given) => (
            <select {...given} value={base} onChange={({ target }) => setBase(target.value)}>
              <option value="">all of the scope</option>
              {bases
                .filter((each) => each.scope === scope)
                .map(({ id }) => (
                  <option key={id}>{id}</option>
                ))}
            </select>
          )}
        </Field>
      </div>
      <p>
        Versions that were replaced and documents that were deleted {olderText(Number(days))} are removed from the log, with their files.
        What searches find now stays.
      </p>
      <p>
        Gone for the whole scope, also if only one knowledge base is chosen: searches of earlier moments and replays of earlier searches.
        Gone for these documents: earlier versions, and receipts of where results came from. Each is refused with 410.
      </p>
      <p>
        <strong>This cannot be undone.</strong>
      </p>
    </ConfirmByName>
  );
}
