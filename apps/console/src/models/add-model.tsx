import { useState } from 'react';
import type { FormEvent, ReactNode } from 'react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useSession } from '../session/session.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Field } from '../ui/field.tsx';
import { ProblemNotice } from '../ui/problem-notice.tsx';
import { EMPTY_MODEL, newModelOf, type ModelDraft } from './new-model.ts';

type TextField = Exclude<keyof ModelDraft, 'source'>;
type InputProps = Readonly<{ label: string; hint?: ReactNode; required?: boolean; inputMode?: 'numeric' | 'decimal' | 'url' }>;

export function AddModel({ onClose, onDone }: Readonly<{ onClose: () => void; onDone: (what: string) => void }>) {
  const { client } = useSession();
  const queries = useQueryClient();
  const [draft, setDraft] = useState(EMPTY_MODEL);
  const add = useMutation({
    mutationFn: () => client.models.add(newModelOf(draft)),
    onSuccess: async ({ version }) => {
      onDone(`${version} was added. Test it before you move a scope to it.`);
      await queries.invalidateQueries({ queryKey: ['models'] });
      onClose();
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    add.mutate();
  };
  const input = (name: TextField, { label, hint, ...rest }: InputProps) => (
    <Field label={label} hint={hint}>
      {(given) => (
        <input
          {...given}
          {...rest}
          value={draft[name]}
          autoComplete="off"
          spellCheck={false}
          onChange={({ target }) => setDraft({ ...draft, [name]: target.value })}
        />
      )}
    </Field>
  );
  return (
    <Dialog title="Add a model" onClose={onClose}>
      <form onSubmit={submit}>
        <Field label="Kind">
          {(given) => (
            <select
              {...given}
              value={draft.source}
              onChange={({ target }) => setDraft({ ...draft, source: target.value as ModelDraft['source'] })}
            >
              <option value="openai">endpoint with OpenAI’s protocol</option>
              <option value="onnx">ONNX folder on the server</option>
            </select>
          )}
        </Field>
        {draft.source === 'onnx' ? (
          input('folder', { label: 'Folder', hint: 'below one of the folders for models of the installation', required: true })
        ) : (
          <>
            {input('baseUrl', { label: 'Address', hint: 'for example http://127.0.0.1:8080/v1', required: true, inputMode: 'url' })}
            {input('model', { label: 'Name of the model', required: true })}
            {input('dimensions', { label: 'Dimensions', required: true, inputMode: 'numeric' })}
            {input('apiKeyVariable', {
              label: 'Variable of the API key',
              hint: 'MODEL_API_KEY…, an environment variable of the server; never a key',
            })}
          </>
        )}
        <details>
          <summary>Prefixes, limits and price</summary>
          {draft.source === 'openai' && (
            <>
              {input('queryPrefix', { label: 'Prefix of queries' })}
              {input('passagePrefix', { label: 'Prefix of passages' })}
            </>
          )}
          {input('requestsPerMinute', { label: 'Requests per minute', inputMode: 'numeric' })}
          {input('price', { label: 'Price', hint: 'US dollars per million tokens', inputMode: 'decimal' })}
        </details>
        <ProblemNotice error={add.error} />
        <div className="dialog-actions">
          <button type="button" className="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" className="button primary" disabled={add.isPending}>
            Add
          </button>
        </div>
      </form>
    </Dialog>
  );
}
