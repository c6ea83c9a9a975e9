import type { StreamState } from './use-stream.ts';

const LABELS: Readonly<Record<StreamState, string>> = {
  live: 'Live',
  connecting: 'Connecting',
  reconnecting: 'Reconnecting',
  off: 'Not live',
};

/** Shows whether the page updates live. */
export function LiveBadge({ state }: Readonly<{ state: StreamState }>) {
  return (
    <span className={`badge ${state === 'live' ? 'good' : 'waiting'}`} role="status">
      {LABELS[state]}
    </span>
  );
}
