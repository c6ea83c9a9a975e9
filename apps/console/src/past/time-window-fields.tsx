import { enteredTime, localTime } from '../timeline/moments.ts';
import { Field } from '../ui/field.tsx';
import { isPosition } from './as-of.ts';
import { windowProblem, type TimeWindow } from './time-window.ts';

type Props = Readonly<{ window: TimeWindow; onChange: (part: Partial<TimeWindow>) => void }>;

/** Two optional times. A form with them is not submitted while nothing can be between them. */
export function TimeWindowFields({ window, onChange }: Props) {
  const problem = windowProblem(window);
  return (
    <>
      <Moment label="After" value={window.after} onChange={(after) => onChange({ after })} />
      <Moment label="Before" value={window.before} problem={problem} onChange={(before) => onChange({ before })} />
    </>
  );
}

type MomentProps = Readonly<{ label: string; value: string; problem?: string | undefined; onChange: (value: string) => void }>;

/** A position, which an address may have, is named in the hint until a time replaces it. */
function Moment({ label, value, problem, onChange }: MomentProps) {
  return (
    <Field label={label} hint={problem ?? (isPosition(value) ? `position ${value}` : 'in your time zone')}>
      {(given) => (
        <input
          {...given}
          ref={(input) => input?.setCustomValidity(problem ?? '')}
          type="datetime-local"
          step={1}
          value={value === '' || isPosition(value) ? '' : localTime(value)}
          aria-invalid={problem !== undefined}
          onChange={({ target }) => onChange(enteredTime(target.value) ?? '')}
        />
      )}
    </Field>
  );
}
