import type { FormEvent } from 'react';
import { Link } from 'react-router';
import type { TimelineEntry, TimelinePage } from '@palimpsest/client';
import { inTime, isPosition, type AsOf } from '../past/as-of.ts';
import { Field } from '../ui/field.tsx';
import { MomentSlider } from './moment-slider.tsx';
import { enteredTime, localTime, stepAt } from './moments.ts';

type Props = Readonly<{
  /** Oldest first. */
  steps: readonly TimelineEntry[];
  /** How far the history of the scope reaches. */
  reach: Pick<TimelinePage, 'from' | 'to'>;
  asOf: AsOf;
  onChoose: (asOf: AsOf) => void;
}>;

/** The slider, a time as an alternative, and what can be seen as of the moment. */
export function ChooseMoment({ steps, reach, asOf, onChoose }: Props) {
  return (
    <section className="card moment" aria-labelledby="moment">
      <h2 id="moment">Choose a moment</h2>
      {steps.length > 0 && <MomentSlider steps={steps} asOf={asOf} onChoose={onChoose} />}
      <TimeForm key={asOf} time={timeOf(steps, asOf)} reach={reach} onChoose={onChoose} />
      {asOf === undefined ? (
        <p className="hint">
          Each step of the slider is an entry of the list below. The arrow keys go from one to the next. The last step is now.
        </p>
      ) : (
        <p className="buttons">
          <Link className="button primary" to={inTime('/search', asOf)}>
            Search as of this moment
          </Link>
          <Link className="button" to={inTime('/documents', asOf)}>
            Documents as of this moment
          </Link>
          <button type="button" className="button quiet" onClick={() => onChoose(undefined)}>
            Back to now
          </button>
        </p>
      )}
    </section>
  );
}

const timeOf = (steps: readonly TimelineEntry[], asOf: AsOf): string | undefined =>
  asOf === undefined || isPosition(asOf) ? steps[stepAt(steps, asOf)]?.at : asOf;

type TimeFormProps = Pick<Props, 'reach' | 'onChoose'> & Readonly<{ time: string | undefined }>;

/** The moment changes when the form is submitted: half of a time is none. */
function TimeForm({ time, reach: { from, to }, onChoose }: TimeFormProps) {
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const entered = new FormData(event.currentTarget).get('time');
    const chosen = typeof entered === 'string' ? enteredTime(entered) : undefined;
    if (chosen !== undefined) onChoose(chosen);
  };
  return (
    <form className="field-row" onSubmit={submit}>
      <Field label="Or a date and time" hint="in your time zone">
        {(given) => (
          <input
            {...given}
            type="datetime-local"
            name="time"
            step={1}
            required
            min={from && localTime(from.at)}
            max={localTime(to.at)}
            defaultValue={localTime(time ?? to.at)}
          />
        )}
      </Field>
      <button type="submit" className="button">
        Go to this time
      </button>
    </form>
  );
}
