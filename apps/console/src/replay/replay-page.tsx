import { useState } from 'react';
import { Link, useLocation, useParams, useSearchParams } from 'react-router';
import { useQuery } from '@tanstack/react-query';
import { ProblemError } from '@palimpsest/client';
import type { ReplayResult } from '@palimpsest/client';
import { momentText, score } from '../format/format.ts';
import { inTime } from '../past/as-of.ts';
import { BeingBuilt } from '../past/being-built-notice.tsx';
import { inPast, isBeingBuilt } from '../past/being-built.ts';
import { asSentence } from '../past/moment-line.ts';
import { useClient } from '../session/session.ts';
import { PageTitle } from '../shell/page-title.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { ProblemNotice } from '../ui/problem-notice.tsx';
import { ReceiptButton } from '../ui/receipt-button.tsx';
import { fileNameOf } from '../ui/save-json.ts';
import { againstOf, candidateOf, parametersOf, type Candidate } from './candidate.ts';
import { CausingEvents } from './causing-events.tsx';
import { CompareWith } from './compare-with.tsx';
import { QueryForm } from './query-form.tsx';
import { ReplayChanges } from './replay-changes.tsx';
import { asksForQuery } from './replay-facts.ts';

/** A search that was just made passes its text in the history of the tab, where no address shows it. */
const passedQuery = (state: unknown): string | undefined => {
  const { query } = (state ?? {}) as Readonly<{ query?: unknown }>;
  return typeof query === 'string' ? query : undefined;
};

export function ReplayPage() {
  const { traceId = '' } = useParams();
  const client = useClient();
  const { state } = useLocation();
  const [parameters, setParameters] = useSearchParams();
  const candidate = candidateOf(parameters);
  return (
    <>
      <PageTitle
        lead="A past search, run again exactly as it was, and compared with now or with something else. Nothing is recorded and nothing changes."
        actions={
          <ReceiptButton
            key={traceId}
            of="this search"
            file={fileNameOf('receipt', traceId)}
            get={() => client.retrievals.receipt(traceId)}
          />
        }
      >
        Replay of a search
      </PageTitle>
      <CompareWith
        key={`${traceId} ${JSON.stringify(candidate)}`}
        given={candidate}
        // The text of the query stays in the history of the tab.
        onCompare={(next) => setParameters(parametersOf(next), { state })}
      />
      <Replay key={traceId} traceId={traceId} candidate={candidate} />
    </>
  );
}

function Replay({ traceId, candidate }: Readonly<{ traceId: string; candidate: Candidate }>) {
  const client = useClient();
  const { state } = useLocation();
  const [query, setQuery] = useState(() => passedQuery(state));
  const { data, error, isPending, failureReason, refetch } = useQuery({
    // The read models of its moment may have to be built first.
    ...inPast(traceId),
    queryKey: ['replay', traceId, query, candidate],
    queryFn: ({ signal }) =>
      client.retrievals.replay(traceId, { against: againstOf(candidate), ...(query === undefined ? {} : { query }) }, { signal }),
    refetchOnWindowFocus: false,
    gcTime: 0,
  });
  if (data !== undefined) return <Shown replay={data} candidate={candidate} />;
  if (isPending)
    return (
      <div role="status">
        {isBeingBuilt(failureReason) ? <BeingBuilt message={failureReason.detail} /> : <p className="muted">Searching again…</p>}
      </div>
    );
  if (asksForQuery(error)) return <QueryForm key={query} refused={query} error={error} onQuery={setQuery} />;
  if (error instanceof ProblemError && error.status === 404)
    return (
      <EmptyState title="Search not found">
        <p>
          There is no record of this search, or it is that of another caller. The record of a search that was just made may need a moment to
          reach the log.
        </p>
        <p>
          <button type="button" className="button" onClick={() => void refetch()}>
            Look again
          </button>
        </p>
      </EmptyState>
    );
  return <ProblemNotice error={error} />;
}

function Shown({ replay, candidate }: Readonly<{ replay: ReplayResult; candidate: Candidate }>) {
  const { position, retrievedAt, identical, differences, hits, against } = replay;
  return (
    <>
      <section className="card replay-verdict" aria-label="Result of the replay">
        <p>
          <span className={`badge ${identical ? 'good' : 'bad'}`}>{identical ? 'identical' : 'not identical'}</span>{' '}
          {identical
            ? 'The replay has the recorded hits with the recorded scores, to the last bit.'
            : 'The replay differs from the record.'}
        </p>
        <p>
          Searched <time dateTime={retrievedAt}>{momentText(retrievedAt)}</time>, at{' '}
          <Link to={inTime('/timeline', position)}>position {position}</Link>.
        </p>
        {differences.map(({ reason, detail, events }) => (
          <div key={`${reason} ${detail}`}>
            <p>{asSentence(detail)}</p>
            <CausingEvents events={events} />
          </div>
        ))}
      </section>
      {against !== undefined && <ReplayChanges against={against} position={position} candidate={candidate} />}
      <section aria-labelledby="then">
        <h2 id="then">The hits as they were</h2>
        {hits.length === 0 && <p className="muted">No hits.</p>}
        <ol className="hits">
          {hits.map(({ chunkId, documentId, rank, title, citation, text, score: value }) => (
            <li key={chunkId} className="card hit">
              <h3>
                <span className="rank" aria-hidden="true">
                  {rank}
                </span>{' '}
                <Link to={inTime(`/documents/${documentId}`, position)}>{title}</Link>
              </h3>
              <p className="citation">
                {citation} · score {score(value)}
              </p>
              <p className="chunk-text">{text}</p>
            </li>
          ))}
        </ol>
      </section>
    </>
  );
}
