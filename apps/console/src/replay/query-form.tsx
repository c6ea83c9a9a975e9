import { useState } from 'react';
import type { FormEvent } from 'react';
import { REQUEST_LIMITS } from '@palimpsest/client';
import { Field } from '../ui/field.tsx';
import { ProblemNotice } from '../ui/problem-notice.tsx';

type Props = Readonly<{
  /** What was entered before, which is not the text. */
  refused: string | undefined;
  error: unknown;
  onQuery: (query: string) => void;
}>;

/** The log has only a digest of the query. The text is compared with it, and is not stored by the console. */
export function QueryForm({ refused, error, onQuery }: Props) {
  const [query, setQuery] = useState(refused ?? '');
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (query !== '') onQuery(query);
  };
  return (
    <form className="card" onSubmit={submit}>
      {refused === undefined ? (
        <p>The text of this query is not on the log, only a digest of it: your tenant does not record queries. Enter it to the letter.</p>
      ) : (
        <ProblemNotice error={error} />
      )}
      <Field label="Text of the query">
        {(given) => (
          <input
            {...given}
            className="wide"
            value={query}
            maxLength={REQUEST_LIMITS.query}
            autoComplete="off"
            onChange={({ target }) => setQuery(target.value)}
          />
        )}
      </Field>
      <p>
        <button type="submit" className="button primary">
          Run again
        </button>
      </p>
    </form>
  );
}
