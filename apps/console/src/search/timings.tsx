import { Link } from 'react-router';
import type { SearchResult } from '@palimpsest/client';
import { count, milliseconds } from '../format/format.ts';
import { replayPath } from '../replay/trace.ts';

type Props = Pick<SearchResult, 'timings' | 'position' | 'traceId' | 'asOf'> & Readonly<{ query: string }>;

/** Duration and number of candidates of each stage of a search. */
export function Timings({ timings, position, traceId, asOf, query }: Props) {
  return (
    <details className="timings">
      <summary>{timings ? `Timing: ${milliseconds(timings.totalMs)}` : 'About this search'}</summary>
      {timings && (
        <div className="table-box">
          <table>
            <caption className="visually-hidden">Stages of this search</caption>
            <thead>
              <tr>
                <th scope="col">Stage</th>
                <th scope="col" className="number">
                  Time
                </th>
                <th scope="col" className="number">
                  Candidates
                </th>
              </tr>
            </thead>
            <tbody>
              {timings.stages.map(({ stage, ms, candidates }) => (
                <tr key={stage}>
                  <th scope="row">{stage}</th>
                  <td className="number">{milliseconds(ms)}</td>
                  <td className="number">{count(candidates)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      <p className="hint">
        Log position {position}
        {asOf === undefined ? (
          <>
            , retrieval record{' '}
            <Link to={replayPath(traceId)} state={{ query }}>
              <code className="id">{traceId}</code>
            </Link>
            .
          </>
        ) : (
          '. A search of the past is not recorded.'
        )}
      </p>
    </details>
  );
}
