import { useId } from 'react';
import type { ReactNode } from 'react';

type Given = Readonly<{ id: string; 'aria-describedby': string | undefined }>;
type Props = Readonly<{ label: string; hint?: ReactNode; children: (given: Given) => ReactNode }>;

/** A labelled input with a hint, connected for screen readers: `<Field label="Name">{(given) => <input {...given} />}</Field>`. */
export function Field({ label, hint, children }: Props) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children({ id, 'aria-describedby': hint === undefined ? undefined : `${id}-hint` })}
      {hint !== undefined && (
        <p className="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}
