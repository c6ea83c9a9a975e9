import { useEffect, useId, useLayoutEffect, useRef } from 'react';
import type { ReactNode } from 'react';

type Props = Readonly<{ title: string; onClose: () => void; children: ReactNode }>;

/** The browser's own modal dialog: it keeps the focus inside, closes with Escape and restores the focus. */
export function Dialog({ title, onClose, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    // The focus returns to its previous element only if the dialog is closed before it is removed.
    return () => element?.close();
  }, []);
  useEffect(() => {
    const element = dialog.current;
    const onCancel = (event: Event): void => {
      event.preventDefault();
      onClose();
    };
    element?.addEventListener('cancel', onCancel);
    return () => element?.removeEventListener('cancel', onCancel);
  }, [onClose]);
  return (
    <dialog ref={dialog} aria-labelledby={heading}>
      <h2 id={heading}>{title}</h2>
      {children}
    </dialog>
  );
}
