import { useState } from 'react';
import type { FormEvent } from 'react';
import { Link, useSearchParams } from 'react-router';
import { REQUEST_LIMITS } from '@palimpsest/client';
import { useSession } from '../session/session.ts';
import { PageTitle } from '../shell/page-title.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { Field } from '../ui/field.tsx';
import { ProblemNotice } from '../ui/problem-notice.tsx';
import { GOLDEN_PATH, judgePath, toJudgeIn, type ToJudge } from './addresses.ts';
import { Judging } from './judging-view.tsx';
import { useGoldenSets, type ScopeWithSets } from './use-golden.ts';

/** Runs a search, and saves which documents answer it. */
export function JudgePage() {
  const { rights } = useSession();
  const [parameters, setParameters] = useSearchParams();
  const { data: scopes, error } = useGoldenSets();
  const asked = toJudgeIn(parameters);
  const scope = scopes?.find((known) => known.scope === asked.scope) ?? scopes?.[0];
  return (
    <>
      <PageTitle lead={<Link to={GOLDEN_PATH}>All golden sets</Link>}>Judge a query</PageTitle>
      {!rights.administers && (
        <EmptyState title="Only administrators change golden queries">
          <p>Your key can read them.</p>
        </EmptyState>
      )}
      {rights.administers && (
        <>
          <ProblemNotice error={error} />
          {scopes && (
            <QueryForm
              key={parameters.toString()}
              scopes={scopes}
              asked={{ ...asked, scope: scope?.scope }}
              onSearch={(next) => setParameters(new URLSearchParams(judgePath(next).split('?')[1]))}
            />
          )}
          {scopes && scope === undefined && <EmptyState title="Nothing to search yet" />}
          {scope && asked.query !== '' && (
            <Judging key={`${scope.scope} ${asked.query}`} scope={scope} query={asked.query} chosenSet={asked.set} />
          )}
        </>
      )}
    </>
  );
}

type FormProps = Readonly<{ scopes: readonly ScopeWithSets[]; asked: ToJudge; onSearch: (next: ToJudge) => void }>;

function QueryForm({ scopes, asked, onSearch }: FormProps) {
  const [draft, setDraft] = useState(asked);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const { scope } = draft;
    onSearch({ query: draft.query.trim(), scope, set: scope === asked.scope ? asked.set : undefined });
  };
  return (
    <form role="search" className="card" onSubmit={submit}>
      <Field label="Query" hint="as people would ask it">
        {(given) => (
          <input
            {...given}
            className="wide"
            required
            type="search"
            maxLength={REQUEST_LIMITS.query}
            autoComplete="off"
            value={draft.query}
            onChange={({ target }) => setDraft({ ...draft, query: target.value })}
          />
        )}
      </Field>
      <div className="field-row">
        <Field label="Scope" hint="Golden queries belong to a scope. Only its documents are searched.">
          {(given) => (
            <select {...given} value={draft.scope} onChange={({ target }) => setDraft({ ...draft, scope: target.value })}>
              {scopes.map(({ scope }) => (
                <option key={scope}>{scope}</option>
              ))}
            </select>
          )}
        </Field>
        <button type="submit" className="button primary">
          Search
        </button>
      </div>
    </form>
  );
}
