import { useQuery } from '@tanstack/react-query';
import { useClient } from '../session/session.ts';
import { STRATEGIES } from '../search/search-state.ts';
import { Field } from '../ui/field.tsx';
import { enteredTime, localTime } from '../timeline/moments.ts';
import { FUSIONS, MAX_RESULTS, type Candidate } from './candidate.ts';

type Props = Readonly<{ candidate: Candidate; problem: string | undefined; onChange: (change: Partial<Candidate>) => void }>;

/** What to compare with. An empty field is as recorded. */
export function CandidateFields({ candidate, problem, onChange }: Props) {
  const { at, strategy, fusion, top, minScore, minRelevance, filter } = candidate;
  return (
    <>
      <div className="field-row">
        <Field label="Moment" hint="in your time zone; empty: now">
          {(given) => (
            <input
              {...given}
              type="datetime-local"
              step={1}
              value={at === '' || /^\d+$/.test(at) ? '' : localTime(at)}
              onChange={({ target }) => onChange({ at: enteredTime(target.value) ?? '' })}
            />
          )}
        </Field>
        <Field label="Or a position">
          {(given) => (
            <input
              {...given}
              inputMode="numeric"
              pattern="[0-9]*"
              value={/^\d+$/.test(at) ? at : ''}
              onChange={({ target }) => onChange({ at: target.value.replaceAll(/\D/g, '') })}
            />
          )}
        </Field>
        <Generation candidate={candidate} onChange={onChange} />
      </div>
      <div className="field-row">
        <Choice label="Strategy" values={STRATEGIES} value={strategy} onChange={(value) => onChange({ strategy: value })} />
        <Choice label="Fusion" values={FUSIONS} value={fusion} onChange={(value) => onChange({ fusion: value })} />
        <Field label="Results">
          {(given) => (
            <input
              {...given}
              type="number"
              min={1}
              max={MAX_RESULTS}
              value={top}
              placeholder="as recorded"
              onChange={({ target }) => onChange({ top: target.value })}
            />
          )}
        </Field>
        <Field label="Minimum score">
          {(given) => (
            <input
              {...given}
              type="number"
              min={-1}
              max={1}
              step="any"
              value={minScore}
              placeholder="as recorded"
              onChange={({ target }) => onChange({ minScore: target.value })}
            />
          )}
        </Field>
        <Field label="Minimum relevance">
          {(given) => (
            <input
              {...given}
              type="number"
              min={0}
              max={1}
              step="any"
              value={minRelevance}
              placeholder="as recorded"
              onChange={({ target }) => onChange({ minRelevance: target.value })}
            />
          )}
        </Field>
      </div>
      <Field label="Labels" hint={problem ?? 'for example team=red, or a filter as JSON; empty: as recorded'}>
        {(given) => (
          <input
            {...given}
            className="wide"
            value={filter}
            aria-invalid={problem !== undefined}
            spellCheck={false}
            autoComplete="off"
            onChange={({ target }) => onChange({ filter: target.value })}
          />
        )}
      </Field>
    </>
  );
}

type ChoiceProps<T extends string> = Readonly<{ label: string; values: readonly T[]; value: T | ''; onChange: (value: T | '') => void }>;

function Choice<T extends string>({ label, values, value, onChange }: ChoiceProps<T>) {
  return (
    <Field label={label}>
      {(given) => (
        <select {...given} value={value} onChange={({ target }) => onChange(values.find((each) => each === target.value) ?? '')}>
          <option value="">as recorded</option>
          {values.map((each) => (
            <option key={each}>{each}</option>
          ))}
        </select>
      )}
    </Field>
  );
}

/** The generations of the scopes that have more than one: another model or chunking that is built, also before its cut-over. */
function Generation({ candidate: { generation }, onChange }: Pick<Props, 'candidate' | 'onChange'>) {
  const client = useClient();
  const { data = [] } = useQuery({ queryKey: ['swaps'], queryFn: ({ signal }) => client.swaps.list({ signal }) });
  const built = data.flatMap(({ scope, generations }) =>
    generations
      .filter(({ status }) => status !== 'retired' && status !== 'building')
      .map(({ generation: id, embeddingVersion, status }) => ({
        value: `${scope} ${id}`,
        text: `${scope}: ${id}, ${status} (${embeddingVersion})`,
      })),
  );
  const all =
    generation === '' || built.some(({ value }) => value === generation) ? built : [...built, { value: generation, text: generation }];
  return (
    <Field label="Generation" hint="of a scope that has several">
      {(given) => (
        <select {...given} value={generation} onChange={({ target }) => onChange({ generation: target.value })}>
          <option value="">those that serve</option>
          {all.map(({ value, text }) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
