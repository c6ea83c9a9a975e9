/** Each status has its own shape and text: some people cannot distinguish the colours. */
const KINDS: Readonly<Record<string, string>> = {
  indexed: 'good',
  active: 'good',
  ok: 'good',
  accepted: 'good',
  processing: 'busy',
  indexing: 'busy',
  building: 'busy',
  deleting: 'busy',
  'being erased': 'busy',
  'removing history': 'busy',
  canary: 'busy',
  'canary ended': 'waiting',
  ready: 'good',
  'not worse': 'good',
  undecided: 'waiting',
  worse: 'bad',
  pending: 'waiting',
  standby: 'waiting',
  companion: 'good',
  paused: 'waiting',
  waiting: 'waiting',
  running: 'busy',
  complete: 'good',
  held: 'waiting',
  failed: 'bad',
  error: 'bad',
  rejected: 'bad',
  degraded: 'bad',
};

export function StatusBadge({ status, children }: Readonly<{ status: string; children?: string }>) {
  return <span className={`badge ${KINDS[status] ?? 'plain'}`}>{children ?? status}</span>;
}
