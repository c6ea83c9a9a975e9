import { useState } from 'react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { CanaryView, SwapView } from '@palimpsest/client';
import { dateTime } from '../format/format.ts';
import { useVisible } from '../live/use-visible.ts';
import { useSession } from '../session/session.ts';
import { ProblemNotice } from '../ui/problem-notice.tsx';
import { StatusBadge } from '../ui/status-badge.tsx';
import { canaryCandidate, findingOf, isRunning, rowsOf, summaryOf } from './canary-facts.ts';
import { StartCanary } from './start-canary.tsx';

const POLL_MS = 2_000;

type Props = Readonly<{ view: SwapView; onDone: (what: string) => void }>;

/** The canary of a scope: who it serves, both sides while it runs, and what can be done now. Nothing if there is none and never was. */
export function Canary({ view, onDone }: Props) {
  const { client, rights } = useSession();
  const queries = useQueryClient();
  const [isAsking, setAsking] = useState(false);
  const { scope, canary } = view;
  const candidate = canaryCandidate(view);
  const running = isRunning(canary);
  const stop = useMutation({
    mutationFn: () => client.swaps.stopCanary(scope),
    onSuccess: () => onDone(`All callers of ${scope} are served by the active generation.`),
    onSettled: () => queries.invalidateQueries({ queryKey: ['swaps'] }),
  });
  if (canary === undefined && candidate === undefined) return null;
  return (
    <section className="evaluation" aria-label={`Canary of ${scope}`}>
      {canary && (
        <p>
          <StatusBadge status={running ? 'canary' : 'canary ended'} /> {summaryOf(canary)}{' '}
          <time dateTime={canary.startedAt}>{dateTime(canary.startedAt)}</time>
        </p>
      )}
      {canary && <Sides scope={scope} canary={canary} />}
      <ProblemNotice error={stop.error} />
      {rights.administers && candidate !== undefined && (
        <div className="buttons">
          <button type="button" className="button" onClick={() => setAsking(true)}>
            {running ? 'Change the share' : 'Start a canary'}
            <span className="visually-hidden"> of {scope}</span>
          </button>
          {running && (
            <button type="button" className="button" disabled={stop.isPending} onClick={() => stop.mutate()}>
              Stop the canary<span className="visually-hidden"> of {scope}</span>
            </button>
          )}
        </div>
      )}
      {isAsking && candidate !== undefined && (
        <StartCanary view={view} generation={candidate} onClose={() => setAsking(false)} onDone={onDone} />
      )}
    </section>
  );
}

/** Live while the canary runs; afterwards the evidence of its end, if there is any. */
function Sides({ scope, canary }: Readonly<{ scope: string; canary: NonNullable<SwapView['canary']> }>) {
  const { client } = useSession();
  const isVisible = useVisible();
  const running = isRunning(canary);
  const { data, error } = useQuery({
    queryKey: ['canary', scope, canary.startedAt],
    queryFn: ({ signal }) => client.swaps.canary(scope, { signal }),
    refetchInterval: POLL_MS,
    enabled: isVisible && running,
  });
  const evidence = running ? data?.comparison : canary.ended?.evidence;
  if (running && error) return <ProblemNotice error={error} />;
  if (evidence === undefined) return running ? <p className="muted">No query was recorded yet.</p> : null;
  return (
    <>
      {evidence.findings.length > 0 && (
        <ul>
          {evidence.findings.map((finding) => (
            <li key={finding.measure} className="bad-text">
              {findingOf(finding)}
            </li>
          ))}
        </ul>
      )}
      <Figures scope={scope} canary={canary} evidence={evidence} />
    </>
  );
}

type FiguresProps = Readonly<{
  scope: string;
  canary: NonNullable<SwapView['canary']>;
  evidence: NonNullable<CanaryView['comparison']>;
}>;

function Figures({ scope, canary: { generation, against }, evidence }: FiguresProps) {
  return (
    <div className="table-box" role="region" aria-label={`Both sides of the canary of ${scope}`} tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">Since the start</th>
            <th scope="col" className="number">
              {against} (active)
            </th>
            <th scope="col" className="number">
              {generation} (canary)
            </th>
          </tr>
        </thead>
        <tbody>
          {rowsOf(evidence).map(([name, active, tried]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td className="number">{active}</td>
              <td className="number">{tried}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
