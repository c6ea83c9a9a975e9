import { useEffect, useId, useLayoutEffect, useRef } from 'react';
import type { ReactNode } from 'react';

type Props = Readonly<{ title: string; onClose: () => void; children: ReactNode }>;

/** The browser's own modal dialog: it keeps the focus inside, closes with Escape, and gives the focus back. */
export function Dialog({ title, onClose, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    // Closed before it is removed: only then the focus goes back to where it was.
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
