import { useState } from 'react';
import type { FormEvent, ReactNode } from 'react';
import { Dialog } from '../ui/dialog.tsx';
import { Field } from '../ui/field.tsx';
import { ProblemNotice } from '../ui/problem-notice.tsx';

type Props = Readonly<{
  title: string;
  name: string;
  label: string;
  action?: string;
  busyAction?: string;
  busy: boolean;
  error: unknown;
  onConfirm: () => void;
  onClose: () => void;
  children: ReactNode;
}>;

/** Asks for the name again, since a click is made too easily for what cannot be undone. */
export function ConfirmByName({ title, name, label, action = 'Erase', busyAction = 'Erasing…', ...more }: Props) {
  const { busy, error, onConfirm, onClose, children } = more;
  const [typed, setTyped] = useState('');
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    onConfirm();
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={submit}>
        {children}
        <Field
          label={label}
          hint={
            <>
              Enter <code className="breakable">{name}</code> to confirm.
            </>
          }
        >
          {(given) => (
            <input
              {...given}
              required
              value={typed}
              autoComplete="off"
              spellCheck={false}
              onChange={({ target }) => setTyped(target.value)}
            />
          )}
        </Field>
        <ProblemNotice error={error} />
        <div className="dialog-actions">
          <button type="button" className="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" className="button danger" disabled={busy || typed !== name}>
            {busy ? busyAction : action}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
