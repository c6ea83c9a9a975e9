import { Link } from 'react-router';
import type { SearchResult } from '@palimpsest/client';
import { counted } from '../format/format.ts';
import { inTime } from '../past/as-of.ts';
import { NotYet } from '../past/not-yet.tsx';
import { useAsOf } from '../past/use-as-of.ts';
import { judgePath } from '../golden/addresses.ts';
import { useSession } from '../session/session.ts';
import { EmptyState } from '../ui/empty-state.tsx';
import { ProblemNotice } from '../ui/problem-notice.tsx';
import { HitCard } from './hit-card.tsx';
import type { SearchState } from './search-state.ts';
import { Timings } from './timings.tsx';
import { tookOf } from './took.ts';
import { useSearch } from './use-search.ts';

export function Hits({ state }: Readonly<{ state: SearchState }>) {
  const { data, error, isFetching } = useSearch(state);
  return (
    <section aria-labelledby="hits" aria-busy={isFetching}>
      <h2 id="hits" className="visually-hidden">
        Results
      </h2>
      <p className="result-line" role="status">
        {summary(data, isFetching, error)}
      </p>
      <ProblemNotice error={error} />
      <NotYet shown={data?.asOf} />
      {data && <Notes {...data} />}
      {data?.hits.length === 0 && <NothingFound />}
      {data !== undefined && data.hits.length > 0 && (
        <>
          <ol className="hits">
            {data.hits.map((hit) => (
              <HitCard key={hit.chunkId} hit={hit} />
            ))}
          </ol>
          {state.asOf === undefined && <JudgeLink query={state.query} scope={data.hits[0]?.scope} />}
          <Timings {...data} query={state.query} />
        </>
      )}
    </section>
  );
}

/** What the server says about how it searched. */
function Notes({
  downgraded,
  defaultStrategy,
  lexicalOnly,
  corrections,
  rewritten,
  reranked,
  ignoredTerms = [],
  miss,
  hits,
}: SearchResult) {
  return (
    <>
      {downgraded && <p className="muted">{downgraded.detail}</p>}
      {defaultStrategy && <p className="muted">{defaultStrategy.detail}</p>}
      {lexicalOnly?.map(({ scope, detail }) => (
        <p className="muted" key={scope}>
          {detail}
        </p>
      ))}
      {corrections?.map(({ from, to }) => (
        <p className="muted" key={from}>
          No passage has “{from}”. Searched for “{to}”.
        </p>
      ))}
      {rewritten && <p className="muted">{rewritten.detail}</p>}
      {ignoredTerms.length > 0 && <p className="muted">No condition, because they are stop words: {ignoredTerms.join(', ')}</p>}
      {reranked && <p className="muted">{reranked.detail}</p>}
      {miss && hits.length > 0 && <p className="notice">No close match: none of these results is likely to be what you look for.</p>}
    </>
  );
}

/** Golden queries belong to a scope: that of the best result, or another one that is chosen there. */
function JudgeLink({ query, scope }: Readonly<{ query: string; scope: string | undefined }>) {
  const { rights } = useSession();
  if (!rights.administers) return null;
  return (
    <p className="more">
      <Link className="button" to={judgePath({ query, scope })}>
        Judge these results
      </Link>
    </p>
  );
}

const summary = (data: SearchResult | undefined, isFetching: boolean, error: unknown): string => {
  if (error !== null) return 'Search failed';
  if (data === undefined) return 'Searching…';
  return `${counted(data.hits.length, 'result')}${tookOf(data)}${isFetching ? ', searching…' : ''}`;
};

function NothingFound() {
  const documents = inTime('/documents', useAsOf());
  return (
    <EmptyState title="No results">
      <p>
        Rephrase the query, remove filters, or <Link to={documents}>look at the documents</Link>. A document can be found once it is
        indexed.
      </p>
    </EmptyState>
  );
}
