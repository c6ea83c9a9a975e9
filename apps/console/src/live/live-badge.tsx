import type { StreamState } from './use-stream.ts';

const TOLD: Readonly<Record<StreamState, string>> = { live: 'Live', connecting: 'Connecting', reconnecting: 'Reconnecting', off: 'Not live' };

/** Whether what one sees changes by itself. */
export function LiveBadge({ state }: Readonly<{ state: StreamState }>) {
  return <span className={`badge ${state === 'live' ? 'good' : 'waiting'}`} role="status">{TOLD[state]}</span>;
}
