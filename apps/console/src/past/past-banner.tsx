import { Link, useSearchParams } from 'react-router';
import { useQuery } from '@tanstack/react-query';
import type { LookedBack } from '@palimpsest/client';
import { useClient } from '../session/session.ts';
import { AS_OF, inTime, isPosition } from './as-of.ts';
import { BeingBuilt } from './being-built-notice.tsx';
import { isBeingBuilt } from './being-built.ts';
import { momentLine } from './moment-line.ts';

type Props = Readonly<{
  asOf: string;
  /** Of the response that shows the moment. */
  shown?: LookedBack | undefined;
  /** Why there is no response yet. */
  waiting?: unknown;
}>;

/** Says that a page does not show the current state, and leads back to it. */
export function PastBanner({ asOf, shown, waiting }: Props) {
  const [, setParameters] = useSearchParams();
  const recordedAt = useTimeOf(asOf);
  const leave = (): void =>
    setParameters((before) => {
      const after = new URLSearchParams(before);
      after.delete(AS_OF);
      return after;
    });
  return (
    <section className="past-banner" aria-label="Moment in the past">
      <div>
        <p className="past-title">{momentLine({ asOf, shown, recordedAt })}</p>
        <div role="status">{isBeingBuilt(waiting) && <BeingBuilt message={waiting.detail} />}</div>
      </div>
      <div className="buttons">
        <Link className="button quiet" to={inTime('/timeline', asOf)}>
          Timeline
        </Link>
        <button type="button" className="button primary" onClick={leave}>
          Back to now
        </button>
      </div>
    </section>
  );
}

/** An event that the caller may not see has no time: only its position is shown. */
const useTimeOf = (asOf: string): string | undefined => {
  const client = useClient();
  const { data } = useQuery({
    queryKey: ['event', asOf],
    queryFn: ({ signal }) => client.events.get(asOf, { signal }),
    enabled: isPosition(asOf),
    staleTime: Infinity,
  });
  return data?.recordedAt;
};
