import type { SwapView } from '@palimpsest/client';
import { count, counted, dateTime } from '../format/format.ts';
import { windowText } from '../past/time-window.ts';
import { duration, shareOf } from './swap-actions.ts';

const CUTOVER = {
  manual: 'by a person',
  automatic: 'automatic, once built',
  gate: 'automatic, if its evaluation finds that it is not worse',
  companion: 'none: it reranks what the active generation finds',
} as const;

const SLOWED = {
  load: 'searches are slower than before the swap, or more and more documents wait',
  cap: 'a setting limits it',
} as const;

/** How far a generation is built, its rate, and the rest. The figures are counters of the swap; nothing is scanned for them. */
export function SwapProgress({ swap }: Readonly<{ swap: NonNullable<SwapView['swap']> }>) {
  const {
    ranges,
    chunks,
    total,
    withoutVector,
    tokens,
    cost,
    chunksPerSecond,
    remainingSeconds,
    slowed,
    paused,
    built,
    cutover,
    startedAt,
    pastQueries,
  } = swap;
  const share = shareOf(swap);
  return (
    <>
      <p className="swap-bar">
        <progress value={share} aria-label="Chunks embedded" />
        <span>
          {Math.round(100 * share)} % · {count(chunks)} of {counted(total, 'chunk')}
          {remainingSeconds !== undefined && ranges.done > 0 && ` · ${duration(remainingSeconds)} left`}
        </span>
      </p>
      <dl className="facts">
        <div>
          <dt>Started</dt>
          <dd>
            <time dateTime={startedAt}>{dateTime(startedAt)}</time>
          </dd>
        </div>
        <div>
          <dt>Cut-over</dt>
          <dd>{CUTOVER[cutover]}</dd>
        </div>
        {pastQueries && (
          <div>
            <dt>Past queries</dt>
            <dd>{windowText(pastQueries)}</dd>
          </div>
        )}
        <div>
          <dt>Embedded</dt>
          <dd>
            {counted(tokens, 'token')}
            {cost !== undefined && ` for $${cost.toFixed(4)}`}
            {chunksPerSecond !== undefined && `, ${chunksPerSecond.toFixed(1)} chunks per second`}
          </dd>
        </div>
        {withoutVector > 0 && (
          <div>
            <dt>Rejected</dt>
            <dd className="bad-text">{counted(withoutVector, 'chunk')}: the model rejected them. Only lexical search finds them.</dd>
          </div>
        )}
        {slowed && (
          <div>
            <dt>Slowed</dt>
            <dd>
              to {slowed.percent} % of the time: {SLOWED[slowed.because]}
            </dd>
          </div>
        )}
        {paused && (
          <div>
            <dt>Paused</dt>
            <dd>
              {paused.reason} ({paused.by === 'person' ? 'by a person' : 'by the platform'},{' '}
              <time dateTime={paused.at}>{dateTime(paused.at)}</time>)
            </dd>
          </div>
        )}
        {built && (
          <div>
            <dt>Built</dt>
            <dd>
              up to position {built.upTo}, <time dateTime={built.at}>{dateTime(built.at)}</time>
            </dd>
          </div>
        )}
      </dl>
    </>
  );
}
