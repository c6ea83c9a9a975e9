import { Field } from '../ui/field.tsx';

type Props = Readonly<{ value: string; problem: string | undefined; onChange: (rules: string) => void }>;

export function SynonymsField({ value, problem, onChange }: Props) {
  return (
    <Field
      label="Synonyms"
      hint={
        problem ?? (
          <>
            one rule per line: <code>sso, single sign-on</code> have the same meaning; with <code>k8s =&gt; kubernetes</code>, “k8s” also
            finds “kubernetes”, but not the reverse. They apply to the next search. Lines that start with <code>#</code> are not stored
          </>
        )
      }
    >
      {(given) => (
        <textarea
          {...given}
          rows={4}
          value={value}
          aria-invalid={problem !== undefined}
          autoComplete="off"
          spellCheck={false}
          onChange={({ target }) => onChange(target.value)}
        />
      )}
    </Field>
  );
}
