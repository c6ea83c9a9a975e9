import { useState } from 'react';
import type { FormEvent } from 'react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useSession } from '../session/session.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Field } from '../ui/field.tsx';
import { ProblemNotice } from '../ui/problem-notice.tsx';
import { ChunkingChoiceFields } from '../swaps/chunking-choice.tsx';
import { chunkingIn, PRESENT } from '../swaps/swap-chunking.ts';
import { EMPTY_FLEET, newFleetOf, type FleetDraft } from './fleet-actions.ts';

type Props = Readonly<{ onClose: () => void; onDone: (what: string) => void }>;
type TextField = 'canary' | 'percents' | 'worsePercent' | 'faults' | 'scopesAtOnce';

/** Asks for the model, the waves and the rule of a new fleet. */
export function StartFleet({ onClose, onDone }: Props) {
  const { client, rights } = useSession();
  const queries = useQueryClient();
  const { data: models, error } = useQuery({ queryKey: ['models'], queryFn: ({ signal }) => client.models.list({ signal }) });
  const available = models?.filter((model) => model.available) ?? [];
  const [chosen, setChosen] = useState<string>();
  const [draft, setDraft] = useState<FleetDraft>({ ...EMPTY_FLEET, allTenants: !rights.administers });
  const [chunking, setChunking] = useState(PRESENT);
  const version = chosen ?? available.find(({ current }) => !current)?.version ?? available[0]?.version;
  const asked = () => ({ ...newFleetOf(draft, version), ...chunkingIn(chunking) });
  const start = useMutation({
    mutationFn: async (way: 'plan' | 'start'): Promise<Readonly<{ id: string }>> =>
      way === 'plan' ? client.fleets.plan(asked()) : client.fleets.start(asked()),
    onSuccess: async ({ id }, way) => {
      onDone(way === 'plan' ? `Fleet ${id} is planned.` : `Fleet ${id} has started.`);
      await queries.invalidateQueries({ queryKey: ['fleets'] });
      onClose();
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    start.mutate('start');
  };
  const input = (name: TextField, label: string, hint: string) => (
    <Field label={label} hint={hint}>
      {(given) => (
        <input
          {...given}
          required={name !== 'canary'}
          value={draft[name]}
          autoComplete="off"
          spellCheck={false}
          onChange={({ target }) => setDraft({ ...draft, [name]: target.value })}
        />
      )}
    </Field>
  );
  return (
    <Dialog title="Move scopes to another model in waves" onClose={onClose}>
      <form onSubmit={submit}>
        <Field label="New model" hint="An operator adds models on the page “Models”.">
          {(given) => (
            <select {...given} required value={version ?? ''} onChange={({ target }) => setChosen(target.value)}>
              {available.map(({ version: each }) => (
                <option key={each}>{each}</option>
              ))}
              {available.length === 0 && <option value="">{models ? 'no model is available' : 'Loading…'}</option>}
            </select>
          )}
        </Field>
        <ChunkingChoiceFields choice={chunking} onChange={setChunking} />
        <Field label="Scopes of">
          {(given) => (
            <select
              {...given}
              value={draft.allTenants ? 'all' : 'own'}
              onChange={({ target }) => setDraft({ ...draft, allTenants: target.value === 'all' })}
            >
              {rights.administers && <option value="own">this tenant</option>}
              {rights.operates && <option value="all">all tenants</option>}
            </select>
          )}
        </Field>
        {input(
          'canary',
          'First scopes',
          'Optional: names such as team:red or acme/deployment, separated by commas. They are the first wave.',
        )}
        {input('percents', 'Waves', 'Share of all scopes that is reached with each further wave, in percent.')}
        {input('worsePercent', 'Stop if worse', 'Accepted share of scopes of a wave that an evaluation finds to be worse, in percent.')}
        {input('faults', 'Stop if failed', 'Accepted number of scopes of a wave for which the model or a store fails.')}
        {input('scopesAtOnce', 'Swaps at the same time', '1 to 100.')}
        <Field label="Undecided scopes" hint="Scopes with few chunks and no judged queries are always undecided.">
          {(given) => (
            <select
              {...given}
              value={draft.undecided}
              onChange={({ target }) => setDraft({ ...draft, undecided: target.value as FleetDraft['undecided'] })}
            >
              <option value="wait">wait for their administrators</option>
              <option value="cut-over">are cut over</option>
            </select>
          )}
        </Field>
        <Field label="After each wave">
          {(given) => (
            <select
              {...given}
              value={draft.advance}
              onChange={({ target }) => setDraft({ ...draft, advance: target.value as FleetDraft['advance'] })}
            >
              <option value="manual">wait for a person</option>
              <option value="automatic">go on</option>
            </select>
          )}
        </Field>
        <ProblemNotice error={error ?? start.error} />
        {start.isPending && start.variables === 'plan' && <p role="status">Counting the texts of each scope. This may take a minute.</p>}
        <div className="dialog-actions">
          <button type="button" className="button" onClick={onClose}>
            Cancel
          </button>
          <button type="button" className="button" disabled={start.isPending || version === undefined} onClick={() => start.mutate('plan')}>
            Plan
          </button>
          <button type="submit" className="button primary" disabled={start.isPending || version === undefined}>
            Start
          </button>
        </div>
      </form>
    </Dialog>
  );
}
