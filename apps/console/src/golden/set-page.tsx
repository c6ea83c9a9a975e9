import { useState } from 'react';
import { Link, useNavigate, useParams } from 'react-router';
import type { GoldenQueryView } from '@palimpsest/client';
import { count, counted } from '../format/format.ts';
import { useSession } from '../session/session.ts';
import { PageTitle } from '../shell/page-title.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { ProblemNotice } from '../ui/problem-notice.tsx';
import { GOLDEN_PATH, judgePath } from './addresses.ts';
import { JudgedQuery } from './judged-query.tsx';
import { RemoveQuery, RemoveSet } from './remove.tsx';
import { isNotFound, useGoldenSet, type LoadedSet } from './use-golden.ts';
import { Versions } from './versions.tsx';

const PER_PAGE = 50;

/** A golden set with its queries and their judgements. */
export function SetPage() {
  const { scope = '', set = '' } = useParams();
  const { data, error } = useGoldenSet({ scope, set });
  // After a removal, the query keeps the last version that it read.
  const isGone = isNotFound(error);
  return (
    <>
      <PageTitle lead={<Link to={GOLDEN_PATH}>All golden sets</Link>}>{`Golden set ${set}`}</PageTitle>
      {isGone && (
        <EmptyState title="Golden set not found">
          <p>It may have been removed, or your key has no access to it.</p>
        </EmptyState>
      )}
      {!isGone && <ProblemNotice error={error} />}
      {data === undefined && error === null && (
        <p className="muted" role="status">
          Loading…
        </p>
      )}
      {data && !isGone && <SetDetails scope={scope} view={data} />}
    </>
  );
}

function SetDetails({ scope, view }: Readonly<{ scope: string; view: LoadedSet }>) {
  const { rights } = useSession();
  const navigate = useNavigate();
  const [shown, setShown] = useState(PER_PAGE);
  const [removing, setRemoving] = useState<GoldenQueryView | 'set'>();
  const [done, setDone] = useState('');
  const { set, version, queries, synthetic, judgements, missing, items } = view;
  const close = (): void => setRemoving(undefined);
  const leave = (): void => void navigate(GOLDEN_PATH, { replace: true });
  return (
    <>
      <div className="list-head">
        <p>
          {scope}, version {version}: {counted(queries, 'query', 'queries')} ({count(synthetic)} synthetic),{' '}
          {counted(judgements, 'judgement')}
        </p>
        {rights.administers && (
          <div className="buttons">
            <Link className="button" to={judgePath({ query: '', scope, set })}>
              Add a query
            </Link>
            <button type="button" className="button danger" onClick={() => setRemoving('set')}>
              Remove the set
            </button>
          </div>
        )}
      </div>
      {missing > 0 && (
        <p className="notice">
          {counted(missing, 'judgement')} of documents that do not exist now. They are kept, and count again once the document is added
          again.
        </p>
      )}
      <p className="result-line" role="status">
        {done}
      </p>
      <ul className="letters">
        {items.slice(0, shown).map((query) => (
          <JudgedQuery
            key={query.id}
            query={query}
            judgeAt={judgePath({ query: query.text, scope, set })}
            onRemove={() => setRemoving(query)}
          />
        ))}
      </ul>
      {items.length > shown && (
        <p className="more">
          <button type="button" className="button" onClick={() => setShown(shown + PER_PAGE)}>
            Show more
          </button>
        </p>
      )}
      <Versions scope={scope} set={set} />
      {removing === 'set' && <RemoveSet scope={scope} view={view} onClose={close} onRemoved={leave} />}
      {removing !== undefined && removing !== 'set' && (
        <RemoveQuery scope={scope} view={view} query={removing} onClose={close} onDone={setDone} onEmpty={leave} />
      )}
    </>
  );
}
