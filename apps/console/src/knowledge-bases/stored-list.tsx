import { counted } from '../format/format.ts';

type Props = Readonly<{ title: string; unit: string; entries: readonly string[] }>;

/** A setting with many values. Closed until they are looked at: there may be hundreds. */
export function StoredList({ title, unit, entries }: Props) {
  return (
    <div>
      <dt>{title}</dt>
      <dd>
        <details>
          <summary>{counted(entries.length, unit)}</summary>
          <ul>
            {entries.map((entry, index) => (
              <li key={`${index} ${entry}`}>{entry}</li>
            ))}
          </ul>
        </details>
      </dd>
    </div>
  );
}
