import { useMutation } from '@tanstack/react-query';
import type { LogCheckResult } from '@palimpsest/client';
import { useSession } from '../session/session.ts';
import { ProblemNotice } from '../ui/problem-notice.tsx';
import { StatusBadge } from '../ui/status-badge.tsx';
import { checkText, lastCheckpoint } from './log-check-facts.ts';

/** Compares the log with its signed checkpoints on request: it reads all of it. For operators. */
export function LogCheck() {
  const { client } = useSession();
  const { data, error, isPending, mutate } = useMutation({ mutationFn: () => client.operations.verifyLog() });
  return (
    <section aria-labelledby="log-check">
      <h2 id="log-check">Signatures of the log</h2>
      <div className="card letter">
        <div className="letter-head">
          <div role="status">
            {data ? <Result check={data} /> : <p>{isPending ? 'The whole log is being read…' : 'Not checked here yet.'}</p>}
          </div>
          <div className="buttons">
            <button type="button" className="button" disabled={isPending} onClick={() => mutate()}>
              Verify the log
            </button>
          </div>
        </div>
        <ProblemNotice error={error} />
      </div>
    </section>
  );
}

function Result({ check }: Readonly<{ check: LogCheckResult }>) {
  const last = lastCheckpoint(check);
  return (
    <>
      <p>
        <StatusBadge status={check.intact ? 'ok' : 'error'}>{check.intact ? 'intact' : 'not intact'}</StatusBadge> {checkText(check)}
      </p>
      {check.findings.length > 0 && (
        <ul>
          {check.findings.map(({ kind, position, message }) => (
            <li key={`${position} ${kind}`}>
              {kind} at {position}: {message}
            </li>
          ))}
        </ul>
      )}
      {last !== undefined && (
        <p className="muted">
          Last checkpoint, to keep outside of the installation: <code className="breakable">{last}</code>
        </p>
      )}
    </>
  );
}
