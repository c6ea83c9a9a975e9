import { Link } from 'react-router';
import type { ReplayChange, ReplayResult } from '@palimpsest/client';
import { inTime } from '../past/as-of.ts';
import { asSentence } from '../past/moment-line.ts';
import { candidateText, isNow, type Candidate } from './candidate.ts';
import { CausingEvents } from './causing-events.tsx';
import { causeName, changeText, comparedText } from './replay-facts.ts';

type Props = Readonly<{
  against: NonNullable<ReplayResult['against']>;
  /** Of the recorded search: a lost hit is shown as it was there. */
  position: string;
  candidate: Candidate;
}>;

const BADGES: Readonly<Record<ReplayChange['change'], string>> = { gained: 'good', lost: 'bad', moved: 'waiting' };

/** How the search would answer elsewhere, and why. */
export function ReplayChanges({ against, position, candidate }: Props) {
  const { changes, lexicalOnly, truncated } = against;
  return (
    <section aria-labelledby="changes">
      <h2 id="changes">Compared with {candidateText(candidate)}</h2>
      <p>{comparedText(against, isNow(candidate))}</p>
      {truncated && <p className="notice">So much happened in between that not all of it was read. Causes may be missing.</p>}
      {lexicalOnly.length > 0 && (
        <p className="notice">Searched by words only, because their model is not configured: {lexicalOnly.join(', ')}.</p>
      )}
      <ul className="letters replay-changes">
        {changes.map((change) => (
          <li key={change.hit.chunkId} className="card">
            <h3>
              <span className={`badge ${BADGES[change.change]}`}>{changeText(change, isNow(candidate))}</span>{' '}
              <Link to={inTime(`/documents/${change.hit.documentId}`, change.change === 'lost' ? position : undefined)}>
                {change.hit.title}
              </Link>
            </h3>
            <p className="citation">{change.hit.citation}</p>
            <dl className="causes">
              {change.causes.map(({ kind, detail, events }) => (
                <div key={`${kind} ${detail}`}>
                  <dt>{causeName({ kind })}</dt>
                  <dd>
                    {asSentence(detail)}
                    <CausingEvents events={events} />
                  </dd>
                </div>
              ))}
            </dl>
          </li>
        ))}
      </ul>
    </section>
  );
}
