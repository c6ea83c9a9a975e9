import type { ReactNode } from 'react';
import { Dialog } from './dialog.tsx';
import { ProblemNotice } from './problem-notice.tsx';

type Props = Readonly<{
  title: string;
  action: string;
  busy: boolean;
  error: unknown;
  onConfirm: () => void;
  onClose: () => void;
  children: ReactNode;
}>;

/** Asks for confirmation of an action that cannot be undone. “Cancel” has the focus. */
export function Confirm({ title, action, busy, error, onConfirm, onClose, children }: Props) {
  return (
    <Dialog title={title} onClose={onClose}>
      {children}
      <ProblemNotice error={error} />
      <div className="dialog-actions">
        <button type="button" className="button" onClick={onClose}>
          Cancel
        </button>
        <button type="button" className="button danger" onClick={onConfirm} disabled={busy}>
          {action}
        </button>
      </div>
    </Dialog>
  );
}
