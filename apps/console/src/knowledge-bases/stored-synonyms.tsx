import { counted } from '../format/format.ts';

/** Closed until they are looked at: there may be hundreds. */
export function StoredSynonyms({ rules }: Readonly<{ rules: readonly string[] }>) {
  return (
    <div>
      <dt>Synonyms</dt>
      <dd>
        <details>
          <summary>{counted(rules.length, 'rule')}</summary>
          <ul>
            {rules.map((rule, index) => (
              <li key={`${index} ${rule}`}>{rule}</li>
            ))}
          </ul>
        </details>
      </dd>
    </div>
  );
}
