import { REQUEST_LIMITS } from '@palimpsest/client';
import { useState } from 'react';
import type { FormEvent } from 'react';
import { useMutation } from '@tanstack/react-query';
import type { KnowledgeBaseView } from '@palimpsest/client';
import { useClient } from '../session/session.ts';
import { Field } from '../ui/field.tsx';
import { ProblemNotice } from '../ui/problem-notice.tsx';
import { chunkingOf, numbersOf } from './chunking-fields.ts';
import { DeclaredFields } from './declared-fields.tsx';
import { fieldsIn, fieldsProblem, repeatedNames, rowsOf, type FieldRow } from './field-rows.ts';
import { HistoryField } from './history-field.tsx';
import { LanguageField } from './language-field.tsx';
import { rulesIn, rulesProblem, rulesText } from './synonym-rules.ts';
import { SynonymsField } from './synonyms-field.tsx';
import { ChunkingInputs } from './chunking-inputs.tsx';

type Props = Readonly<{ base: KnowledgeBaseView; onSaved: () => Promise<void> }>;

/** What was edited of the settings that are sent only then: they are replaced as a whole, and may be long. */
type Edited = Readonly<{ rules?: string; rows?: readonly FieldRow[] }>;

export function Configure({ base, onSaved }: Props) {
  const client = useClient();
  const [draft, setDraft] = useState({ name: base.name, description: base.description, language: base.language ?? '' });
  const [days, setDays] = useState(String(base.historyDays ?? ''));
  const [numbers, setNumbers] = useState(() => numbersOf(base.chunking));
  const [edited, setEdited] = useState<Edited>({});
  const save = useMutation({
    mutationFn: ({ rules, rows }: Edited) =>
      client.knowledgeBases.update(base.id, {
        ...draft,
        language: draft.language.trim() || null,
        chunking: chunkingOf(numbers),
        ...(days === String(base.historyDays ?? '') ? {} : { historyDays: days === '' ? null : Number(days) }),
        ...(rules === undefined ? {} : { synonyms: rulesIn(rules) }),
        ...(rows === undefined ? {} : { fields: fieldsIn(rows) }),
      }),
    onSuccess: async (_, sent) => {
      await onSaved();
      setEdited((now) => (now === sent ? {} : now));
    },
  });
  const { rules, rows } = edited;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (repeatedNames(rows ?? []).length === 0) save.mutate(edited);
  };
  return (
    <section aria-labelledby="configure">
      <h2 id="configure">Configure</h2>
      <form className="card" onSubmit={submit}>
        <Field label="Name">
          {(given) => (
            <input
              {...given}
              value={draft.name}
              maxLength={REQUEST_LIMITS.knowledgeBaseName}
              required
              onChange={({ target }) => setDraft({ ...draft, name: target.value })}
            />
          )}
        </Field>
        <Field label="Description">
          {(given) => (
            <textarea
              {...given}
              rows={2}
              value={draft.description}
              maxLength={REQUEST_LIMITS.knowledgeBaseDescription}
              onChange={({ target }) => setDraft({ ...draft, description: target.value })}
            />
          )}
        </Field>
        <LanguageField value={draft.language} onChange={(language) => setDraft({ ...draft, language })} />
        <HistoryField value={days} onChange={setDays} />
        <SynonymsField
          value={rules ?? rulesText(base.synonyms)}
          problem={rules !== undefined && rules === save.variables?.rules ? rulesProblem(rules, save.error) : undefined}
          onChange={(changed) => setEdited({ ...edited, rules: changed })}
        />
        <DeclaredFields
          rows={rows ?? rowsOf(base.fields)}
          problem={rows !== undefined && rows === save.variables?.rows ? fieldsProblem(save.error) : undefined}
          onChange={(changed) => setEdited({ ...edited, rows: changed })}
        />
        <h3>Chunking settings</h3>
        <p className="hint">Existing documents keep their chunks until they are re-indexed.</p>
        <ChunkingInputs numbers={numbers} onChange={setNumbers} />
        <ProblemNotice error={save.error} />
        <p className="form-end">
          <button type="submit" className="button primary" disabled={save.isPending}>
            Save
          </button>{' '}
          <span role="status" className="muted">
            {save.isSuccess && 'Saved.'}
          </span>
        </p>
      </form>
    </section>
  );
}
