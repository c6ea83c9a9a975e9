import type { DocumentStatus, KnowledgeBaseView } from '@palimpsest/client';
import { Field } from '../ui/field.tsx';
import type { ListFilter } from './use-document-list.ts';

export const STATUSES: readonly DocumentStatus[] = ['pending', 'processing', 'indexed', 'failed'];

type Props = Readonly<{
  filter: ListFilter;
  knowledgeBases: readonly KnowledgeBaseView[] | undefined;
  onChange: (name: 'kb' | 'status' | 'source', value: string) => void;
}>;

export function DocumentFilters({ filter: { knowledgeBase, status, source }, knowledgeBases, onChange }: Props) {
  return (
    <form className="field-row narrowing" role="search" aria-label="Filter the list" onSubmit={(event) => event.preventDefault()}>
      <Field label="Knowledge base">
        {(given) => (
          <select {...given} value={knowledgeBase ?? ''} onChange={({ target }) => onChange('kb', target.value)}>
            <option value="">All</option>
            {knowledgeBases?.map(({ id }) => (
              <option key={id} value={id}>
                {id}
              </option>
            ))}
            {knowledgeBase !== undefined && !knowledgeBases?.some(({ id }) => id === knowledgeBase) && (
              <option value={knowledgeBase}>{knowledgeBase}</option>
            )}
          </select>
        )}
      </Field>
      <Field label="Status">
        {(given) => (
          <select {...given} value={status ?? ''} onChange={({ target }) => onChange('status', target.value)}>
            <option value="">Any</option>
            {STATUSES.map((each) => (
              <option key={each} value={each}>
                {each}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field label="Source" hint="beginning of the source name">
        {(given) => (
          <input
            {...given}
            key={source}
            defaultValue={source ?? ''}
            spellCheck={false}
            onBlur={({ target }) => target.value !== (source ?? '') && onChange('source', target.value)}
            onKeyDown={({ key, currentTarget }) => key === 'Enter' && onChange('source', currentTarget.value)}
          />
        )}
      </Field>
    </form>
  );
}
