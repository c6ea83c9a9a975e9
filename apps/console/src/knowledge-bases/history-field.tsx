import { REQUEST_LIMITS } from '@palimpsest/client';
import { Field } from '../ui/field.tsx';

type Props = Readonly<{ value: string; onChange: (days: string) => void }>;

export function HistoryField({ value, onChange }: Props) {
  return (
    <Field
      label="Days of history"
      hint="what was replaced or deleted is removed from the log after this many days, for good; leave empty to keep it; for administrators"
    >
      {(given) => (
        <input
          {...given}
          type="number"
          min={1}
          max={REQUEST_LIMITS.historyDays}
          step={1}
          value={value}
          autoComplete="off"
          onChange={({ target }) => onChange(target.value)}
        />
      )}
    </Field>
  );
}
