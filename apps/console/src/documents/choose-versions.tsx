import { useState } from 'react';
import type { FormEvent } from 'react';
import { useSearchParams } from 'react-router';
import { Field } from '../ui/field.tsx';
import { withVersionChoice, type VersionChoice } from './version-choice.ts';

type Props = Readonly<{
  /** Newest first, at least two. */
  readable: readonly number[];
  choice: VersionChoice;
}>;

/** Two versions to compare, an earlier and a later one; at first the last two. */
export function ChooseVersions({ readable, choice }: Props) {
  const [, setParameters] = useSearchParams();
  const [last = 1, beforeLast = 1] = readable;
  const chosen = choice !== undefined && 'from' in choice ? choice : { from: beforeLast, to: last };
  const [draft, setDraft] = useState(chosen);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setParameters((before) => withVersionChoice(before, draft), { preventScrollReset: true });
  };
  const setFrom = (from: number): void => setDraft({ from, to: draft.to > from ? draft.to : last });
  return (
    <form className="field-row compare-versions" aria-label="Compare versions" onSubmit={submit}>
      <Choice label="From version" versions={readable.slice(1)} chosen={draft.from} onChange={setFrom} />
      <Choice
        label="To version"
        versions={readable.filter((version) => version > draft.from)}
        chosen={draft.to}
        onChange={(to) => setDraft({ ...draft, to })}
      />
      <button type="submit" className="button">
        Compare
      </button>
    </form>
  );
}

type ChoiceProps = Readonly<{ label: string; versions: readonly number[]; chosen: number; onChange: (version: number) => void }>;

function Choice({ label, versions, chosen, onChange }: ChoiceProps) {
  return (
    <Field label={label}>
      {(given) => (
        <select {...given} value={chosen} onChange={({ target }) => onChange(Number(target.value))}>
          {versions.map((version) => (
            <option key={version}>{version}</option>
          ))}
        </select>
      )}
    </Field>
  );
}
