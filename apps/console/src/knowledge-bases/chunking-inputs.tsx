import { Field } from '../ui/field.tsx';
import { CHUNKING_FIELDS, fieldName, type ChunkingNumbers } from './chunking-fields.ts';

type Props = Readonly<{ numbers: ChunkingNumbers; onChange: (numbers: ChunkingNumbers) => void }>;

export function ChunkingInputs({ numbers, onChange }: Props) {
  return (
    <div className="number-grid">
      {CHUNKING_FIELDS.map((field) => {
        const name = fieldName(field);
        return (
          <Field key={name} label={field.label}>
            {(given) => (
              <input
                {...given}
                inputMode="numeric"
                value={numbers[name] ?? ''}
                autoComplete="off"
                onChange={({ target }) => onChange({ ...numbers, [name]: target.value })}
              />
            )}
          </Field>
        );
      })}
    </div>
  );
}
