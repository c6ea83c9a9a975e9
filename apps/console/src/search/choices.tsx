type Props = Readonly<{
  legend: string;
  hint: string;
  values: readonly string[];
  chosen: readonly string[];
  onChange: (chosen: readonly string[]) => void;
}>;

/** Selects any number of values. A selected value that no longer exists stays visible, so that it can be removed. */
export function Choices({ legend, hint, values, chosen, onChange }: Props) {
  const all = [...values, ...chosen.filter((value) => !values.includes(value))];
  if (all.length === 0) return null;
  const toggle = (value: string): void => onChange(chosen.includes(value) ? chosen.filter((each) => each !== value) : [...chosen, value]);
  return (
    <fieldset className="choices">
      <legend>
        {legend} <span className="hint">({hint})</span>
      </legend>
      {all.map((value) => (
        <label key={value} className="choice">
          <input type="checkbox" checked={chosen.includes(value)} onChange={() => toggle(value)} /> <span>{value}</span>
        </label>
      ))}
    </fieldset>
  );
}
