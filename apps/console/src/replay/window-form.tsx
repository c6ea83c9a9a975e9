import { useState } from 'react';
import type { FormEvent } from 'react';
import { useQuery } from '@tanstack/react-query';
import { TimeWindowFields } from '../past/time-window-fields.tsx';
import { useSession } from '../session/session.ts';
import { scopeChoices } from '../timeline/scope-choices.ts';
import { Field } from '../ui/field.tsx';
import { CandidateFields } from './candidate-fields.tsx';
import type { Candidate } from './candidate.ts';
import { useCandidate } from './use-candidate.ts';
import { SIZES, type ReplayWindow } from './window.ts';

type Chosen = Readonly<{ window: ReplayWindow; candidate: Candidate }>;
type Props = Readonly<{ given: Chosen; onRun: (chosen: Chosen) => void }>;

/** Which past searches, and what to compare them with. */
export function WindowForm({ given, onRun }: Props) {
  const { client, caller } = useSession();
  const [window, setWindow] = useState(given.window);
  const { candidate, problem, accepted, change } = useCandidate(given.candidate);
  const { data: knowledgeBases = [] } = useQuery({
    queryKey: ['knowledge-bases'],
    queryFn: ({ signal }) => client.knowledgeBases.list({ signal }),
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (accepted()) onRun({ window, candidate });
  };
  const set = (part: Partial<ReplayWindow>): void => setWindow({ ...window, ...part });
  const scopes = scopeChoices({ caller, knowledgeBases, chosen: window.scope }).filter((scope) => scope !== '');
  const bases = [...new Set([...knowledgeBases.map(({ id }) => id), window.kb])].filter((id) => id !== '');
  return (
    <form className="card" onSubmit={submit}>
      <fieldset className="part">
        <legend>Past searches</legend>
        <div className="field-row">
          <TimeWindowFields window={window} onChange={set} />
          <OneOf label="Scope" all="all" values={scopes} value={window.scope} onChange={(scope) => set({ scope })} />
          <OneOf label="Knowledge base" all="all" values={bases} value={window.kb} onChange={(kb) => set({ kb })} />
          <OneOf label="At most" values={SIZES} value={window.max} onChange={(max) => set({ max })} />
        </div>
      </fieldset>
      <fieldset className="part">
        <legend>Compare with</legend>
        <CandidateFields candidate={candidate} problem={problem} onChange={change} />
      </fieldset>
      <p>
        <button type="submit" className="button primary">
          Replay
        </button>
      </p>
    </form>
  );
}

type OneOfProps = Readonly<{ label: string; all?: string; values: readonly string[]; value: string; onChange: (value: string) => void }>;

/** `all`: the name of no choice. */
function OneOf({ label, all, values, value, onChange }: OneOfProps) {
  return (
    <Field label={label}>
      {(given) => (
        <select {...given} value={value} onChange={({ target }) => onChange(target.value)}>
          {all !== undefined && <option value="">{all}</option>}
          {values.map((each) => (
            <option key={each}>{each}</option>
          ))}
        </select>
      )}
    </Field>
  );
}
