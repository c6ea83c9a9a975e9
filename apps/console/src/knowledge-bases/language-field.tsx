import { REQUEST_LIMITS } from '@palimpsest/client';
import { Field } from '../ui/field.tsx';

type Props = Readonly<{ value: string; onChange: (language: string) => void }>;

export function LanguageField({ value, onChange }: Props) {
  return (
    <Field
      label="Language"
      hint={
        <>
          for documents whose language is unknown, such as <code>en</code> or <code>de</code>; leave empty for mixed languages
        </>
      }
    >
      {(given) => (
        <input
          {...given}
          value={value}
          maxLength={REQUEST_LIMITS.language}
          autoComplete="off"
          spellCheck={false}
          onChange={({ target }) => onChange(target.value)}
        />
      )}
    </Field>
  );
}
