import { useId, useRef } from 'react';
import { Field } from '../ui/field.tsx';
import { FIELD_TYPES, NEW_ROW, repeatedNames, type FieldRow } from './field-rows.ts';

type Props = Readonly<{ rows: readonly FieldRow[]; problem: string | undefined; onChange: (rows: readonly FieldRow[]) => void }>;

export function DeclaredFields({ rows, problem, onChange }: Props) {
  const hint = useId();
  const add = useRef<HTMLButtonElement>(null);
  const repeated = repeatedNames(rows);
  const change = (index: number, part: Partial<FieldRow>): void =>
    onChange(rows.map((row, at) => (at === index ? { ...row, ...part } : row)));
  const remove = (index: number): void => {
    onChange(rows.filter((_, at) => at !== index));
    // The focused button disappears.
    add.current?.focus();
  };
  return (
    <fieldset className="part" aria-describedby={hint}>
      <legend>Declared fields</legend>
      {rows.map((row, index) => (
        <Row
          key={index}
          row={row}
          isRepeated={repeated.includes(row.name.trim())}
          onChange={(part) => change(index, part)}
          onRemove={() => remove(index)}
        />
      ))}
      <p className="hint" id={hint}>
        {repeated.length > 0 ? `Declared twice: ${repeated.join(', ')}.` : (problem ?? HINT)}
      </p>
      <p>
        <button ref={add} type="button" className="button small" onClick={() => onChange([...rows, NEW_ROW])}>
          Add a field
        </button>
      </p>
    </fieldset>
  );
}

type RowProps = Readonly<{ row: FieldRow; isRepeated: boolean; onChange: (part: Partial<FieldRow>) => void; onRemove: () => void }>;

function Row({ row: { name, type }, isRepeated, onChange, onRemove }: RowProps) {
  return (
    <div className="field-row">
      <Field label="Field">
        {(given) => (
          <input
            {...given}
            required
            // Of a row that was just added.
            autoFocus={name === ''}
            value={name}
            placeholder="label.year"
            aria-invalid={isRepeated}
            autoComplete="off"
            spellCheck={false}
            onChange={({ target }) => onChange({ name: target.value })}
          />
        )}
      </Field>
      <Field label="Type">
        {(given) => (
          <select
            {...given}
            value={type}
            onChange={({ target }) => onChange({ type: FIELD_TYPES.find((each) => each === target.value) ?? type })}
          >
            {FIELD_TYPES.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        )}
      </Field>
      <button type="button" className="button" onClick={onRemove}>
        Remove<span className="visually-hidden"> the field {name}</span>
      </button>
    </div>
  );
}

const HINT = (
  <>
    types by which filters compare labels (<code>label.year</code>) and metadata (<code>meta.created</code>); <code>keywords</code> is a
    list: <code>red, blue</code>. Nothing is indexed again. A submitted document whose label is not of its type is refused
  </>
);
