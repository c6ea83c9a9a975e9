import { useState } from 'react';
import type { FormEvent } from 'react';
import { useSession } from '../session/session.ts';
import { Field } from '../ui/field.tsx';
import { FILTERS, type FilterName } from './event-filter.ts';

type Props = Readonly<{ parameters: URLSearchParams; onFilter: (parameters: URLSearchParams) => void }>;

const ABOUT: Readonly<Record<FilterName, Readonly<{ label: string; hint: string; names: boolean }>>> = {
  type: { label: 'Type', hint: 'separate several with commas', names: false },
  stream: { label: 'Stream', hint: 'full name', names: true },
  document: { label: 'Document', hint: 'ID', names: true },
  kb: { label: 'Knowledge base', hint: 'ID', names: true },
  scope: { label: 'Scope', hint: 'for example team:red', names: true },
};

export function EventFilters({ parameters, onFilter }: Props) {
  const { rights } = useSession();
  const [draft, setDraft] = useState<Partial<Record<FilterName, string>>>(() =>
    Object.fromEntries(FILTERS.map((name) => [name, parameters.get(name) ?? ''])),
  );
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    onFilter(new URLSearchParams(FILTERS.flatMap((name) => (draft[name]?.trim() ? [[name, draft[name].trim()]] : []))));
  };
  return (
    <form className="field-row narrowing" role="search" aria-label="Filter the events" onSubmit={submit}>
      {FILTERS.filter((name) => rights.reads || !ABOUT[name].names).map((name) => (
        <Field key={name} label={ABOUT[name].label} hint={ABOUT[name].hint}>
          {(given) => (
            <input
              {...given}
              value={draft[name] ?? ''}
              spellCheck={false}
              autoComplete="off"
              list={name === 'type' ? 'event-types' : undefined}
              onChange={({ target }) => setDraft({ ...draft, [name]: target.value })}
            />
          )}
        </Field>
      ))}
      <datalist id="event-types">
        {COMMON.map((type) => (
          <option key={type} value={type} />
        ))}
      </datalist>
      <button type="submit" className="button">
        Apply
      </button>
    </form>
  );
}

/** Suggestions only: any type can be entered. */
const COMMON = [
  'DocumentSubmitted',
  'DocumentProcessingStarted',
  'KnowledgeChunkIndexed',
  'DocumentIndexed',
  'DocumentFailed',
  'DocumentDeferred',
  'DocumentDeleted',
  'DocumentSkipped',
  'KnowledgeBaseCreated',
  'KnowledgeBaseConfigured',
  'KnowledgeBasePaused',
  'KnowledgeBaseArchived',
  'KnowledgeBaseDeleted',
  'GenerationStarted',
  'GenerationActivated',
  'ApiKeyIssued',
  'ApiKeyRevoked',
  'KnowledgeRetrieved',
  'KnowledgeRetrievalMiss',
];
