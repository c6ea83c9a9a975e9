import { useState } from 'react';
import { Field } from '../ui/field.tsx';
import { DIVERSITIES, listProblem, optionsInUse, type SearchOptions } from './search-options.ts';

type Props = Readonly<{ options: SearchOptions; onChange: (change: Partial<SearchOptions>) => void }>;

const LISTS = [
  ['required', 'Required words', 'Each result has them, in any form. Separate several with commas.'],
  ['excluded', 'Excluded words', 'No result has one of them.'],
  ['phrases', 'Exact phrases', 'Each result has these words next to each other, as written.'],
] as const;

const DIVERSITY_NAMES: Readonly<Record<(typeof DIVERSITIES)[number], string>> = { '0.3': 'A little', '0.5': 'Medium', '0.7': 'Strongly' };

const CHOICES = [
  ['diversity', 'Variety', [['', 'No'], ...DIVERSITIES.map((value) => [value, DIVERSITY_NAMES[value]] as const)]],
  [
    'expand',
    'Text around each result',
    [
      ['', 'None'],
      ['neighbours', 'The passages before and after it'],
      ['section', 'Its section'],
    ],
  ],
  [
    'rewrite',
    'Rewriting by a chat model',
    [
      ['', 'No'],
      ['queries', 'Search other wordings, too'],
      ['hypothetical', 'Search a passage that could answer it, too'],
    ],
  ],
] as const;

/** Closed until it is needed: a search needs none of it. */
export function AdvancedFields({ options, onChange }: Props) {
  const inUse = optionsInUse(options).length;
  const [open] = useState(inUse > 0);
  return (
    <details open={open}>
      <summary>Advanced{inUse > 0 && ` (${inUse})`}</summary>
      <div className="number-grid">
        {LISTS.map(([name, label, hint]) => {
          const problem = listProblem(options[name]);
          return (
            <Field key={name} label={label} hint={problem ?? hint}>
              {(given) => (
                <input
                  {...given}
                  value={options[name]}
                  aria-invalid={problem !== undefined}
                  autoComplete="off"
                  onChange={({ target }) => onChange({ [name]: target.value })}
                />
              )}
            </Field>
          );
        })}
        {CHOICES.map(([name, label, choices]) => (
          <Field key={name} label={label}>
            {(given) => (
              <select {...given} value={options[name]} onChange={({ target }) => onChange({ [name]: target.value })}>
                {choices.map(([value, text]) => (
                  <option key={value} value={value}>
                    {text}
                  </option>
                ))}
              </select>
            )}
          </Field>
        ))}
      </div>
      <fieldset className="choices">
        <legend>Repeated results</legend>
        <label className="choice">
          <input type="checkbox" checked={options.collapse} onChange={({ target }) => onChange({ collapse: target.checked })} />{' '}
          <span>Show passages that say the same once</span>
        </label>
        <label className="choice">
          <input
            type="checkbox"
            checked={options.groupBy === 'document'}
            onChange={({ target }) => onChange({ groupBy: target.checked ? 'document' : '' })}
          />{' '}
          <span>Group by document</span>
        </label>
      </fieldset>
    </details>
  );
}
