import { useState } from 'react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from 'react-router';
import type { DeadLetterView } from '@palimpsest/client';
import { counted, dateTime } from '../format/format.ts';
import { useSession } from '../session/session.ts';
import { PageTitle } from '../shell/page-title.tsx';
import { Confirm } from '../ui/confirm.tsx';
import { CardList } from '../ui/card-list.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { ProblemNotice } from '../ui/problem-notice.tsx';

const POLL_MS = 5_000;

export function DeadLettersPage() {
  const { client } = useSession();
  const { data, error, isPending } = useQuery({
    queryKey: ['dead-letters'],
    queryFn: ({ signal }) => client.operations.deadLetters({ signal }),
    refetchInterval: POLL_MS,
  });
  const [done, setDone] = useState('');
  return (
    <>
      <PageTitle lead="Failed jobs of the whole installation, after their last attempt. Retry a job once its cause is fixed.">
        Dead letters
      </PageTitle>
      <CardList
        items={data}
        error={error}
        isPending={isPending}
        status={
          <>
            {data !== undefined && data.length > 0 && counted(data.length, 'dead letter')} {done}
          </>
        }
        empty={
          <EmptyState title="No failed jobs">
            <p>Every job succeeded or is still being retried. There is nothing to do here.</p>
          </EmptyState>
        }
        card={(letter) => <Letter key={letter.id} letter={letter} onDone={setDone} />}
      />
    </>
  );
}

type LetterProps = Readonly<{ letter: DeadLetterView; onDone: (what: string) => void }>;

function Letter({ letter, onDone }: LetterProps) {
  const { client, caller, rights } = useSession();
  const queries = useQueryClient();
  const [confirming, setConfirming] = useState(false);
  const report = (what: string) => async (): Promise<void> => {
    onDone(what);
    await queries.invalidateQueries({ queryKey: ['dead-letters'] });
  };
  const { id, topic, key, attempts, error, failedAt, work } = letter;
  const retry = useMutation({ mutationFn: () => client.operations.retryDeadLetter(id), onSuccess: report(`${key} was queued again.`) });
  const discard = useMutation({ mutationFn: () => client.operations.discardDeadLetter(id), onSuccess: report(`${key} was discarded.`) });
  const [tenant = '', subject = ''] = key.split('/');
  const readable = rights.reads && tenant === caller.tenant && /^[0-9a-f]{32}$/.test(subject);
  return (
    <li className="card letter">
      <div className="letter-head">
        <div>
          <h2 className="breakable">{key}</h2>
          <p className="muted">
            {topic} · {counted(attempts, 'attempt')} · failed <time dateTime={failedAt}>{dateTime(failedAt)}</time>
          </p>
        </div>
        <div className="buttons">
          <button type="button" className="button primary" disabled={retry.isPending} onClick={() => retry.mutate()}>
            Retry<span className="visually-hidden"> {key}</span>
          </button>
          <button type="button" className="button danger" onClick={() => setConfirming(true)}>
            Discard<span className="visually-hidden"> {key}</span>
          </button>
        </div>
      </div>
      <p className="bad-text breakable">{error}</p>
      <ProblemNotice error={retry.error} />
      <details>
        <summary>Job details</summary>
        <pre tabIndex={0} aria-label="Job details">
          {JSON.stringify(work, null, 2)}
        </pre>
        {readable && (
          <p>
            <Link to={`/documents/${subject}`}>Open the document</Link>
          </p>
        )}
      </details>
      {confirming && (
        <Confirm
          title="Discard this job?"
          action="Discard"
          busy={discard.isPending}
          error={discard.error}
          onConfirm={() => discard.mutate()}
          onClose={() => setConfirming(false)}
        >
          <p>
            The job is deleted and is not retried. Its document does not change: <code className="breakable">{key}</code>.
          </p>
        </Confirm>
      )}
    </li>
  );
}
