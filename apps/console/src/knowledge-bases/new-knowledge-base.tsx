import { REQUEST_LIMITS } from '@palimpsest/client';
import { useState } from 'react';
import type { FormEvent } from 'react';
import { useNavigate } from 'react-router';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useSession } from '../session/session.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Field } from '../ui/field.tsx';
import { ProblemNotice } from '../ui/problem-notice.tsx';
import { ChunkingInputs } from './chunking-inputs.tsx';
import { chunkingOf, numbersOf } from './chunking-fields.ts';
import { LanguageField } from './language-field.tsx';
import { scopesFor } from './scopes.ts';

const OTHER = 'other';

export function NewKnowledgeBase({ onClose }: Readonly<{ onClose: () => void }>) {
  const { client, caller } = useSession();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const scopes = scopesFor(caller);
  const [draft, setDraft] = useState({ id: '', name: '', description: '', language: '', scope: 'deployment', otherScope: '' });
  const [numbers, setNumbers] = useState(() => numbersOf({}));
  const change = (part: Partial<typeof draft>): void => setDraft({ ...draft, ...part });
  const create = useMutation({
    mutationFn: () => {
      const { id, name, description, language, scope, otherScope } = draft;
      const chunking = chunkingOf(numbers);
      return client.knowledgeBases.create({
        id: id.trim(),
        scope: scope === OTHER ? otherScope.trim() : scope,
        ...(name.trim() === '' ? {} : { name }),
        ...(description.trim() === '' ? {} : { description }),
        ...(language.trim() === '' ? {} : { language: language.trim() }),
        ...(Object.keys(chunking).length === 0 ? {} : { chunking }),
      });
    },
    onSuccess: async ({ id }) => {
      await queries.invalidateQueries({ queryKey: ['knowledge-bases'] });
      await navigate(`/knowledge-bases/${id}`);
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    create.mutate();
  };
  return (
    <Dialog title="New knowledge base" onClose={onClose}>
      <form onSubmit={submit}>
        <Field label="ID" hint={`1–${REQUEST_LIMITS.knowledgeBaseId} lowercase letters, digits, “-”, “_”, “.”; cannot be changed later`}>
          {(given) => (
            <input
              {...given}
              required
              value={draft.id}
              autoComplete="off"
              spellCheck={false}
              onChange={({ target }) => change({ id: target.value })}
            />
          )}
        </Field>
        <Field label="Name" hint="display name; defaults to the ID">
          {(given) => (
            <input
              {...given}
              value={draft.name}
              maxLength={REQUEST_LIMITS.knowledgeBaseName}
              onChange={({ target }) => change({ name: target.value })}
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
              onChange={({ target }) => change({ description: target.value })}
            />
          )}
        </Field>
        <LanguageField value={draft.language} onChange={(language) => change({ language })} />
        <Field label="Who may read it" hint="the scope cannot be changed later">
          {(given) => (
            <select {...given} value={draft.scope} onChange={({ target }) => change({ scope: target.value })}>
              {scopes.map(({ scope, name }) => (
                <option key={scope} value={scope}>
                  {name}
                </option>
              ))}
              <option value={OTHER}>another scope…</option>
            </select>
          )}
        </Field>
        {draft.scope === OTHER && (
          <Field
            label="Scope"
            hint={
              <>
                <code>team:&lt;id&gt;</code> or <code>user:&lt;id&gt;</code>
              </>
            }
          >
            {(given) => (
              <input
                {...given}
                required
                value={draft.otherScope}
                spellCheck={false}
                autoComplete="off"
                onChange={({ target }) => change({ otherScope: target.value })}
              />
            )}
          </Field>
        )}
        <details>
          <summary>Chunking settings</summary>
          <p className="hint">Empty fields use the defaults.</p>
          <ChunkingInputs numbers={numbers} onChange={setNumbers} />
        </details>
        <ProblemNotice error={create.error} />
        <div className="dialog-actions">
          <button type="button" className="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" className="button primary" disabled={create.isPending}>
            Create
          </button>
        </div>
      </form>
    </Dialog>
  );
}
