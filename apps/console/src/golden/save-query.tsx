import type { FormEvent } from 'react';
import { Link } from 'react-router';
import type { GoldenSetView } from '@palimpsest/client';
import { derivedId } from '@palimpsest/client/golden-files';
import { counted } from '../format/format.ts';
import { Field } from '../ui/field.tsx';
import { ProblemNotice } from '../ui/problem-notice.tsx';
import { setPath } from './addresses.ts';
import { linesWith, type Judged } from './judging.ts';
import { SaveProblem } from './save-problem.tsx';
import { useSaveSet, type LoadedSet } from './use-golden.ts';

type Props = Readonly<{
  scope: string;
  sets: readonly GoldenSetView[];
  name: string;
  onName: (name: string) => void;
  /** The set with this name. `isKnown`: it exists, but may still be loading. */
  loaded: Readonly<{ isKnown: boolean; set: LoadedSet | undefined; error: unknown }>;
  isInSet: boolean;
  query: string;
  judged: readonly Judged[];
  isChanged: boolean;
  onSaved: () => void;
}>;

/** Saves the judged query as a new version of a set. */
export function SaveQuery(props: Props) {
  const { scope, sets, name, onName, loaded, query, judged, isChanged, onSaved } = props;
  const save = useSaveSet();
  const { isKnown, set } = loaded;
  const isReady = judged.length > 0 && isChanged && !save.isPending && (!isKnown || set !== undefined);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const queries = linesWith(set?.items ?? [], { text: query, judgements: judged, id: derivedId(query) });
    save.mutate({ scope, set: name.trim(), version: set?.version ?? 0, queries }, { onSuccess: onSaved });
  };
  return (
    <section aria-labelledby="save">
      <h2 id="save">Save</h2>
      <form className="card" onSubmit={submit}>
        <div className="field-row">
          <Field label="Golden set" hint={hintOf(props)}>
            {(given) => (
              <input
                {...given}
                required
                list="golden-sets"
                autoComplete="off"
                spellCheck={false}
                value={name}
                onChange={({ target }) => onName(target.value)}
              />
            )}
          </Field>
          <button type="submit" className="button primary" disabled={!isReady}>
            Save
          </button>
        </div>
        <datalist id="golden-sets">
          {sets.map((each) => (
            <option key={each.set} value={each.set} />
          ))}
        </datalist>
        <p role="status">
          {counted(judged.length, 'judgement')}
          {judged.length === 0 && ': judge at least one document'}
          {save.data && !isChanged && (
            <>
              . Saved as version {save.data.version} of <Link to={setPath({ scope, set: save.data.set })}>{save.data.set}</Link>.
            </>
          )}
        </p>
        <ProblemNotice error={loaded.error} />
        <SaveProblem error={save.error} set={name} />
      </form>
    </section>
  );
}

const hintOf = ({ name, loaded: { isKnown, set }, isInSet, sets }: Props): string => {
  if (set !== undefined)
    return `version ${set.version}, ${counted(set.queries, 'query', 'queries')}. ${isInSet ? 'This query is in the set: its judgements are shown.' : 'This query is added.'}`;
  if (isKnown) return 'Loading…';
  if (name.trim() !== '') return 'a new set: lowercase letters, digits, “-”, “_”, “.”';
  return sets.length === 0 ? 'the name of a new set, for example faq' : 'an existing set, or the name of a new one';
};
