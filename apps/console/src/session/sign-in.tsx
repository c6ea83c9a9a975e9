import { useEffect, useRef, useState } from 'react';
import type { FormEvent } from 'react';
import { Mark } from '../shell/mark.tsx';

type Props = Readonly<{ refusal: string | undefined; onKey: (key: string) => void }>;

/** Asks for an API key. The key is kept for this tab only and sent in a header, never in a URL. */
export function SignIn({ refusal, onKey }: Props) {
  const [missing, setMissing] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    document.title = 'Sign in · Palimpsest';
    field.current?.focus();
  }, []);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const key = field.current?.value.trim() ?? '';
    setMissing(key === '');
    if (key === '') field.current?.focus();
    else onKey(key);
  };
  const problem = missing ? 'Enter an API key. It starts with “plk_”.' : refusal;
  return (
    <main className="sign-in">
      <form className="card" onSubmit={submit} noValidate>
        <p className="brand">
          <Mark /> Palimpsest
        </p>
        <h1>Sign in</h1>
        {problem !== undefined && (
          <p className="notice bad" role="alert" id="sign-in-problem">
            {problem}
          </p>
        )}
        <div className="field">
          <label htmlFor="api-key">API key</label>
          <input
            ref={field}
            id="api-key"
            type="password"
            autoComplete="off"
            spellCheck={false}
            placeholder="plk_…"
            aria-describedby={problem === undefined ? 'api-key-hint' : 'sign-in-problem api-key-hint'}
            aria-invalid={problem !== undefined}
          />
          <p className="hint" id="api-key-hint">
            <code>npm start</code> prints a link that contains the API key of the local installation. The key is also in{' '}
            <code>.palimpsest/keys/local-api-key</code>. For other installations, ask an admin for a key (
            <code>palimpsest keys create</code>).
          </p>
        </div>
        <button type="submit" className="button primary">
          Sign in
        </button>
      </form>
    </main>
  );
}
