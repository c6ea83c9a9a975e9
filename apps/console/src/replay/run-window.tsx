import { useState } from 'react';
import { Link } from 'react-router';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { ComparedRetrieval, ReplayedSearches } from '@palimpsest/client';
import { dateTime } from '../format/format.ts';
import { BeingBuilt } from '../past/being-built-notice.tsx';
import { inPast, isBeingBuilt } from '../past/being-built.ts';
import { useClient } from '../session/session.ts';
import { EmptyState } from '../ui/empty-state.tsx';
import { ProblemNotice } from '../ui/problem-notice.tsx';
import { againstOf, candidateText, parametersOf, type Candidate } from './candidate.ts';
import { causeName } from './replay-facts.ts';
import { replayPath } from './trace.ts';
import { factsOf, requestOf, type ReplayWindow } from './window.ts';

type Props = Readonly<{ window: ReplayWindow; candidate: Candidate }>;

/** Runs once, page by page, and shows what is known so far. Leaving the page ends it. */
export function RunWindow({ window, candidate }: Props) {
  const client = useClient();
  const queries = useQueryClient();
  const [soFar, setSoFar] = useState<ReplayedSearches>();
  const [isStopped, setIsStopped] = useState(false);
  const queryKey = ['replay-window', window, candidate];
  const { data, error, isPending, failureReason } = useQuery({
    // The read models of their moments may have to be built first.
    ...inPast('window'),
    queryKey,
    queryFn: ({ signal }) =>
      client.retrievals.replayWindow({ ...requestOf(window), against: againstOf(candidate) }, { signal, onPage: setSoFar }),
    enabled: !isStopped,
    refetchOnWindowFocus: false,
    gcTime: 0,
  });
  const stop = (): void => {
    setIsStopped(true);
    void queries.cancelQueries({ queryKey });
  };
  const searches = data ?? soFar;
  const isRunning = isPending && !isStopped;
  return (
    <section aria-labelledby="replayed" aria-busy={isRunning}>
      <h2 id="replayed">Compared with {candidateText(candidate)}</h2>
      <ProblemNotice error={error} />
      <div role="status">
        {isRunning && isBeingBuilt(failureReason) && <BeingBuilt message={failureReason.detail} />}
        {isRunning && !isBeingBuilt(failureReason) && (
          <p className="muted">
            Searching again… {searches && `${searches.retrievals.length + searches.skipped.length} of at most ${window.max}`}
          </p>
        )}
        {data && !data.isComplete && <p className="notice">There are more searches in this window than were replayed.</p>}
        {isStopped && <p className="notice">Stopped. These are the searches that were replayed until then.</p>}
      </div>
      {isRunning && (
        <p>
          <button type="button" className="button" onClick={stop}>
            Stop
          </button>
        </p>
      )}
      {searches && <Searches searches={searches} candidate={candidate} />}
    </section>
  );
}

function Searches({ searches, candidate }: Readonly<{ searches: ReplayedSearches; candidate: Candidate }>) {
  const { retrievals, skipped } = searches;
  if (retrievals.length + skipped.length === 0)
    return (
      <EmptyState title="No past searches">
        <p>None of the searches that you may replay is in this window. Records of searches expire.</p>
      </EmptyState>
    );
  return (
    <>
      <dl className="facts">
        {factsOf(searches).map(([name, text]) => (
          <div key={`${name} ${text}`}>
            <dt>{name}</dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
      {retrievals.some(({ truncated }) => truncated) && (
        <p className="notice">So much happened in between that not all of it was read. Causes may be missing.</p>
      )}
      {retrievals.length > 0 && <Retrievals retrievals={retrievals} candidate={candidate} />}
    </>
  );
}

/** Those that changed most come first. */
function Retrievals({ retrievals, candidate }: Readonly<{ retrievals: readonly ComparedRetrieval[]; candidate: Candidate }>) {
  const query = new URLSearchParams(parametersOf(candidate)).toString();
  return (
    <div className="table-box" role="region" aria-label="Replayed searches" tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">Searched</th>
            <th scope="col" className="number">
              Gained
            </th>
            <th scope="col" className="number">
              Lost
            </th>
            <th scope="col" className="number">
              Moved
            </th>
            <th scope="col" className="number">
              Agreement
            </th>
            <th scope="col">Causes</th>
          </tr>
        </thead>
        <tbody>
          {retrievals.map(({ traceId, retrievedAt, gained, lost, moved, rbo, causes }) => (
            <tr key={traceId}>
              <th scope="row" className="when">
                <Link to={`${replayPath(traceId)}${query === '' ? '' : `?${query}`}`}>
                  <time dateTime={retrievedAt}>{dateTime(retrievedAt)}</time>
                  <span className="visually-hidden"> {traceId}</span>
                </Link>
              </th>
              <td className="number">{gained}</td>
              <td className="number">{lost}</td>
              <td className="number">{moved}</td>
              <td className="number">{rbo.toFixed(2)}</td>
              <td>{causes.map(({ kind, changes }) => `${causeName({ kind })}: ${changes}`).join(', ')}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
