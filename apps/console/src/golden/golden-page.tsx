import { useState } from 'react';
import { Link } from 'react-router';
import type { GoldenSetView } from '@palimpsest/client';
import { actorText, count, dateTime } from '../format/format.ts';
import { useSession } from '../session/session.ts';
import { PageTitle } from '../shell/page-title.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { ProblemNotice } from '../ui/problem-notice.tsx';
import { judgePath, setPath } from './addresses.ts';
import { savesOf } from './golden-history.ts';
import { ImportFile } from './import-file.tsx';
import { useGoldenHistory, useGoldenSets, type ScopeWithSets } from './use-golden.ts';

/** The golden sets that the caller may read, by scope. */
export function GoldenPage() {
  const { rights } = useSession();
  const { data, error, isPending } = useGoldenSets();
  const [importing, setImporting] = useState(false);
  const [done, setDone] = useState('');
  const withSets = data?.filter(({ sets }) => sets.length > 0) ?? [];
  return (
    <>
      <PageTitle
        lead="Queries with the documents that answer them. They show whether another model or chunking makes searches worse."
        actions={rights.administers && <Actions onImport={() => setImporting(true)} />}
      >
        Golden queries
      </PageTitle>
      <ProblemNotice error={error} />
      {isPending && (
        <p className="muted" role="status">
          Loading…
        </p>
      )}
      <p className="result-line" role="status">
        {done}
      </p>
      {data && withSets.length === 0 && <NoSets mayChange={rights.administers} />}
      {withSets.map((scope) => (
        <SetsOfScope key={scope.scope} {...scope} />
      ))}
      {importing && data && <ImportFile scopes={data} onClose={() => setImporting(false)} onDone={setDone} />}
    </>
  );
}

function Actions({ onImport }: Readonly<{ onImport: () => void }>) {
  return (
    <>
      <button type="button" className="button" onClick={onImport}>
        Import a file
      </button>
      <Link className="button primary" to={judgePath({ query: '' })}>
        Judge a query
      </Link>
    </>
  );
}

function NoSets({ mayChange }: Readonly<{ mayChange: boolean }>) {
  return (
    <EmptyState title="No golden queries yet">
      {mayChange ? (
        <p>Search, mark the documents that answer the query, and save it. About 50 queries are needed for a verdict on a swap.</p>
      ) : (
        <p>An administrator can add them.</p>
      )}
    </EmptyState>
  );
}

function SetsOfScope({ scope, sets }: ScopeWithSets) {
  return (
    <section aria-labelledby={`golden-${scope}`}>
      <h2 id={`golden-${scope}`} className="breakable">
        {scope}
      </h2>
      <div className="table-box" role="region" aria-label={`Golden sets of ${scope}`} tabIndex={0}>
        <table>
          <thead>
            <tr>
              <th scope="col">Set</th>
              {['Version', 'Queries', 'Synthetic', 'Judgements'].map((name) => (
                <th key={name} scope="col" className="number">
                  {name}
                </th>
              ))}
              <th scope="col">Changed</th>
            </tr>
          </thead>
          <tbody>
            {sets.map((set) => (
              <SetRow key={set.set} scope={scope} view={set} />
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function SetRow({ scope, view }: Readonly<{ scope: string; view: GoldenSetView }>) {
  const { set, version, queries, synthetic, judgements, missing, importedAt } = view;
  const history = useGoldenHistory(scope);
  const actor = savesOf(history.data ?? [], set).find((saved) => saved.version === version && !saved.removed)?.actor;
  return (
    <tr>
      <th scope="row">
        <Link to={setPath({ scope, set })}>{set}</Link>
      </th>
      <td className="number">{version}</td>
      <td className="number">{count(queries)}</td>
      <td className="number">{count(synthetic)}</td>
      <td className="number">
        {count(judgements)}
        {missing > 0 && <span className="under">{count(missing)} of missing documents</span>}
      </td>
      <td className="when">
        <time dateTime={importedAt} title={importedAt}>
          {dateTime(importedAt)}
        </time>
        {actor !== undefined && (
          <span className="under" title={actor}>
            by {actorText(actor)}
          </span>
        )}
      </td>
    </tr>
  );
}
